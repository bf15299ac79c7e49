"""What Sphinx is told; ``build.py`` calls it on the sources that ``sources.py`` writes."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from notebooks import DOWNLOADS  # noqa: E402

from irevalx import __version__  # noqa: E402

project = "irevalx"
author = "The irevalx developers"
copyright = author  # noqa: A001 - Sphinx calls it so
release = version = __version__
html_title = f"irevalx {__version__}"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "docstrings", "mathml", "presentation"]

# Markdown as code hosts read it: headings are anchors, and math stands in blocks of its own.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "dollarmath"]
smartquotes = False
exclude_patterns = [DOWNLOADS]
toc_object_entries = False
html_math_renderer = "mathml"
highlight_language = "none"
default_role = "code"

# build.py has run the notebooks.
nb_execution_mode = "off"
nb_merge_streams = True

# Names of types that are not public lead nowhere; all other names have to.
nitpicky = True
nitpick_ignore_regex = [("py:(class|exc)", r".*")]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = [str(HERE / "static")]
html_css_files = ["irevalx.css"]
html_copy_source = False
html_search_scorer = str(HERE / "search.js")
html_show_sphinx = False
html_last_updated_fmt = None
html_domain_indices = False
templates_path: list[str] = []
pygments_style = "friendly"
pygments_dark_style = "monokai"
copybutton_exclude = ".linenos, .gp, .go"
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
