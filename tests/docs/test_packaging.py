"""What is released: one version everywhere, a wheel that works on its own, and sources that hold everything."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import metadata
from pathlib import Path

import pytest
from doc_pages import README
from running import ROOT

import irevalx

pytestmark = pytest.mark.slow

PYPROJECT = (ROOT / "pyproject.toml").read_text()
MANUAL_PAGES = {page.name: f"share/man/man{page.suffix[1:]}/{page.name}" for page in (ROOT / "man").glob("*/*")}
"""Where each page is installed."""

IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import irevalx
assert irevalx.__file__.startswith(sys.argv[1]), irevalx.__file__
for module in pkgutil.walk_packages(irevalx.__path__, "irevalx."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
"""Imports every module of the package in a folder."""


def test_one_version() -> None:
    """The package, the changelog and the citation agree on version and date; the name of the wheel has it too."""
    released = re.search(rf"^## \[{irevalx.__version__}\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released
    citation = (ROOT / "CITATION.cff").read_text()
    assert f'\nversion: {irevalx.__version__}\ndate-released: "{released[1]}"\n' in citation


def test_python_versions() -> None:
    """The metadata, the classifiers and the workflow agree on the versions of Python."""
    classified = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PYPROJECT)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    [matrix] = re.findall(r"python: \[(.+)\]", workflow)
    assert re.findall(r'"(.+?)"', matrix) == classified
    oldest = workflow[workflow.index("  oldest:") : workflow.index("run: bash .ci/oldest")]
    assert f'python-version: "{classified[0]}"' in oldest
    assert metadata("irevalx")["Requires-Python"] == f">={classified[0]}"
    assert "run: bash .ci/run\n" in workflow


def test_systems() -> None:
    """The classifiers name Linux alone, where this has been run; the workflow tries two more, as docs/differences.md says."""
    assert re.findall(r'"Operating System :: (.+)"', PYPROJECT) == ["POSIX :: Linux"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "system: [macos-latest, windows-latest]\n" in workflow


def test_workflows_are_pinned() -> None:
    """Each action is one commit, whose version stands beside it; no action has two versions, and none is told a secret."""
    texts = [path.read_text() for path in (ROOT / ".github" / "workflows").iterdir()]
    used = {line for text in texts for line in re.findall(r"uses: (.+)", text)}
    pinned = [re.fullmatch(r"([\w-]+/[\w-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in used]
    assert all(pinned)
    assert len({match[1] for match in pinned if match}) == len(used)
    assert not any("secrets." in text for text in texts)
    assert all(re.search(r"^permissions:( \{\}|\n  contents: read)$", text, re.MULTILINE) for text in texts)


def test_programs_of_the_workflow() -> None:
    """The workflow calls programs of .ci that are there, so that each job can be run here as well."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    programs = {name: (ROOT / ".ci" / name).stat().st_mode for name in re.findall(r"run: bash \.ci/(\w+)", workflow)}
    assert programs.keys() == {"oldest", "run", "system", "workflows"}
    assert "bash .ci/site " in (ROOT / ".ci" / "run").read_text()
    assert all(mode & 0o111 for mode in programs.values())
    assert "--resolution lowest-direct" in (ROOT / ".ci" / "oldest").read_text()


def test_extras() -> None:
    """`all` has every extra except spark; README.md lists each; one function says how to install what is missing."""
    [table] = re.findall(r"^\[project.optional-dependencies\]\n((?:.+\n)+)", PYPROJECT, re.MULTILINE)
    extras = re.findall(r"^(\w+) = ", table, re.MULTILINE)
    [joined] = re.findall(r'^all = \["irevalx\[(.+)\]"\]', table, re.MULTILINE)
    assert set(joined.split(",")) == set(extras) - {"all", "spark"}
    assert set(re.findall(r"^\| `(\w+)` \|.*\|.*\|$", README, re.MULTILINE)) == set(extras)
    named: set[str] = set()
    for path in (ROOT / "irevalx").rglob("*.py"):
        text = path.read_text()
        assert "pip install" not in text or path.name == "errors.py", path
        named |= set(re.findall(r"not_installed\([^)]*['\"](\w+)['\"]\)", text))
    assert named == {"arrow", "fast", "lab"}


def test_conda_recipe() -> None:
    """The recipe for conda has the version, the dependencies, the commands and the floors of the extras of pyproject.toml."""
    recipe = (ROOT / ".github" / "conda" / "recipe.yaml").read_text()

    def listed(name: str) -> set[str]:
        [match] = re.findall(rf"^( *){name}:\n((?:\1  - .+\n)+)", recipe, re.MULTILINE)
        return {line.strip()[2:].replace(" >=", ">=") for line in match[1].splitlines()}

    def needed(name: str) -> set[str]:
        [match] = re.findall(rf"^{name} = \[(.+)\]", PYPROJECT, re.MULTILINE)
        return {
            requirement for requirement in re.findall(r'"(.+?)"', match) if ";" not in requirement
        }  # conda has no markers

    [python] = re.findall(r'^requires-python = "(.+)"$', PYPROJECT, re.MULTILINE)
    assert f'\n  version: "{irevalx.__version__}"\n' in recipe
    assert listed("run") == {f"python{python}", *needed("dependencies")}
    assert listed("host") == {f"python{python}", "pip", *needed("requires")}
    assert listed("run_constraints") == needed("arrow") | needed("lab")
    [scripts] = re.findall(r"^\[project.scripts\]\n((?:.+\n)+)", PYPROJECT, re.MULTILINE)
    assert listed("entry_points") == set(scripts.replace('"', "").splitlines())
    for name, value in re.findall(r"^  (summary|license): (.+)$", recipe, re.MULTILINE):
        assert f'\n{name.replace("summary", "description")} = "{value}"\n' in PYPROJECT


def call(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of .ci from the root."""
    return subprocess.run(["bash", *words], cwd=ROOT, check=False, capture_output=True, text=True)


def test_notes() -> None:
    """The notes of a release are its section of the changelog, without the heading; a version without one has none."""
    changelog = (ROOT / "CHANGELOG.md").read_text()
    start = changelog.index(f"\n## [{irevalx.__version__}] - ")
    section = changelog[changelog.index("\n", start + 1) :].partition("\n## ")[0]
    assert call(".ci/notes", irevalx.__version__).stdout.strip() == section.strip()
    for unknown in ("99.0.0", "Unreleased"):
        refused = call(".ci/notes", unknown)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"must have a section that begins with '## [{unknown}] - '" in refused.stderr


def test_what_is_not_released(tmp_path: Path) -> None:
    """Another tag than that of the version, and a project without addresses, are refused before anything is built."""
    tag = f"v{irevalx.__version__}"
    for wrong in ("v99.0.0", irevalx.__version__, f"{tag}-rc1"):
        refused = call(".ci/release", wrong)
        assert refused.returncode == 1
        assert refused.stderr == (
            f"not released: the tag must be {tag}, which is the version in irevalx/__init__.py, not {wrong}\n"
        )
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    (tmp_path / "irevalx").mkdir()
    shutil.copy(ROOT / "irevalx" / "__init__.py", tmp_path / "irevalx")
    table = "[project.urls]\n"
    for name in ("Homepage", "Documentation", "Issues", "Changelog"):
        (tmp_path / "pyproject.toml").write_text(f"{table}\n[project.scripts]\n")
        refused = call(str(tmp_path / ".ci" / "release"), tag)
        complaint = f"not released: [project.urls] in pyproject.toml must have an address for {name}\n"
        assert (refused.returncode, refused.stderr) == (1, complaint)
        table += f'{name} = "https://example.org/"\n'


def test_release_workflow() -> None:
    """A tag is all that a release takes; what is built is tried on every Python, and the index trusts the workflow."""
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    [matrix] = re.findall(r"python: \[(.+)\]", workflow)
    assert re.findall(r'"(.+?)"', matrix) == re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PYPROJECT)
    assert 'run: bash .ci/release "$GITHUB_REF_NAME"\n' in workflow
    assert "id-token: write" in workflow
    assert "password" not in workflow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a wheel and a source distribution."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("needs hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_wheel(built: Path) -> None:
    """The wheel contains the package, the assets of reports, the recorded help and the manual pages, and nothing else."""
    [wheel] = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    page = ROOT / "irevalx" / "lab" / "html_report"
    places = ("py.typed", "measures/bibliography.bib", "lab/command/recorded_help.json")
    data = [ROOT / "irevalx" / place for place in places]
    files = [*(ROOT / "irevalx").rglob("*.py"), *page.glob("*.html"), *page.glob("assets/*"), *data]
    package = {str(path.relative_to(ROOT)) for path in files}
    stem = f"irevalx-{irevalx.__version__}"
    pages = {f"{stem}.data/data/{place}" for place in MANUAL_PAGES.values()}
    assert {name for name in names if not name.startswith(f"{stem}.dist-info/")} == package | pages


def test_wheel_runs_on_its_own(built: Path, tmp_path: Path) -> None:
    """Every module of the wheel can be imported where there is nothing else of the project."""
    [wheel] = built.glob("*.whl")
    shutil.unpack_archive(wheel, tmp_path, "zip")
    command = [sys.executable, "-I", "-c", IMPORT_ALL, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_long_description(tmp_path: Path) -> None:
    """The long description of a release links only to absolute addresses, those of its pages on the site."""
    pytest.importorskip("hatchling")
    if "](docs/" not in README:
        pytest.skip("the links are absolute in released sources")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "man", tmp_path / "man")
    (tmp_path / "irevalx").mkdir()
    shutil.copy(ROOT / "irevalx" / "__init__.py", tmp_path / "irevalx")
    settings = re.sub(r'^(?:Homepage|Documentation) = ".*"\n', "", PYPROJECT, flags=re.MULTILINE)
    addresses = (
        '[project.urls]\nHomepage = "https://example.org/"\nDocumentation = "https://docs.example.org/irevalx/"\n'
    )
    (tmp_path / "pyproject.toml").write_text(settings.replace("[project.urls]\n", addresses))
    rewrite = [sys.executable, str(ROOT / "docs" / "site" / "long_description.py"), str(tmp_path)]
    subprocess.run(rewrite, check=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    [name] = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA")]
    description = zipfile.ZipFile(wheel).read(name).decode().partition("\n\n")[2]
    targets = re.findall(r"\]\(([^)\s]+)\)", description)
    assert len(targets) == len(re.findall(r"\]\(([^)\s]+)\)", README)) > 10
    assert all(target.startswith("https://docs.example.org/irevalx/") for target in targets)
    assert not re.findall(r"(?:href|src)=", description)
    assert {"https://docs.example.org/irevalx/lab.html", "https://docs.example.org/irevalx/report.png"} <= set(targets)


def test_long_description_without_address(tmp_path: Path) -> None:
    """A project without addresses keeps the links of its README."""
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project.urls]\n\n[project.scripts]\nDocumentation = "https://a.b/"\n')
    rewrite = [sys.executable, str(ROOT / "docs" / "site" / "long_description.py"), str(tmp_path)]
    done = subprocess.run(rewrite, check=True, capture_output=True, text=True)
    assert "[project.urls] has no address for Documentation" in done.stderr
    assert (tmp_path / "README.md").read_text() == README


def test_sources(built: Path) -> None:
    """The source distribution holds what the tests and python docs/generate need."""
    [sources] = built.glob("*.tar.gz")
    held = {name.partition("/")[2] for name in tarfile.open(sources).getnames()}
    folders = (".ci", ".github", "docs", "fixtures", "irevalx", "man", "tests")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    expected_files = {str(path.relative_to(ROOT)) for path in paths if "__pycache__" not in path.parts}
    expected_files |= {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "pyproject.toml"}
    assert expected_files <= held
