"""The bibliography of measures and lab, source of the references in help, --cite and documentation.

The docstring of a measure cites a paper by its key: ``Source: [clarke-2008]; ndeval.`` A record omits what is
uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from irevalx.frozen import Frozen


class Paper(Frozen, kw_only=True):
    """A paper, book or report."""

    authors: tuple[str, ...]
    """As in BibTeX: "Family, Given", in order."""
    title: str
    venue: str
    """In full: journal, proceedings, book or publisher."""
    short: str
    """Short name of the venue."""
    year: int
    kind: str = "inproceedings"
    """Type of the BibTeX entry."""
    more: Mapping[str, str] = {}
    """Other BibTeX fields, for example volume and pages."""

    @property
    def reference(self) -> str:
        """Authors, title, short venue and year, on one line.

        >>> PAPERS["moffat-zobel-2008"].reference
        'Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 2008'
        """
        families = [name.partition(",")[0] for name in self.authors]
        *first, last = families
        names = f"{', '.join(first)} and {last}" if first else last
        return f"{names}, {self.title}, {self.short} {self.year}"

    def bibtex(self, key: str) -> str:
        """Return the BibTeX entry, without a final newline."""
        fields = {"author": " and ".join(self.authors), "title": f"{{{self.title}}}"}
        fields |= {_FIELDS[self.kind]: self.venue, "year": str(self.year), **self.more}
        lines = [f"  {name:<9} = {{{text}}}" for name, text in fields.items()]
        return f"@{self.kind}{{{key},\n" + ",\n".join(lines) + "\n}"


_FIELDS = {
    "article": "journal",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "book": "publisher",
    "techreport": "institution",
}
"""Which field of BibTeX the venue is, by the type of the entry."""

_SIGIR = (
    "Proceedings of the {} Annual International ACM SIGIR Conference on Research and Development in "
    "Information Retrieval"
)
_TOIS = "ACM Transactions on Information Systems"

PAPERS: dict[str, Paper] = {
    "agrawal-2009": Paper(
        authors=("Agrawal, Rakesh", "Gollapudi, Sreenivas", "Halverson, Alan", "Ieong, Samuel"),
        title="Diversifying Search Results",
        venue="Proceedings of the Second ACM International Conference on Web Search and Data Mining",
        short="WSDM",
        year=2009,
        more={"pages": "5--14"},
    ),
    "ahlgren-gronqvist-2008": Paper(
        authors=("Ahlgren, Per", "Grönqvist, Leif"),
        title=(
            "Evaluation of Retrieval Effectiveness with Incomplete Relevance Data: Theoretical and Experimental "
            "Comparison of Three Measures"
        ),
        venue="Information Processing and Management",
        short="IP&M",
        year=2008,
        kind="article",
        more={"volume": "44", "number": "1", "pages": "212--225"},
    ),
    "aslam-pavlu-2007": Paper(
        authors=("Aslam, Javed A.", "Pavlu, Virgil"),
        title="A Practical Sampling Strategy for Efficient Retrieval Evaluation",
        venue="Northeastern University",
        short="technical report",
        year=2007,
        kind="techreport",
    ),
    "bompada-2007": Paper(
        authors=("Bompada, Tanuja", "Chang, Chi-Chao", "Chen, John", "Kumar, Ravi", "Shenoy, Rajesh"),
        title="On the Robustness of Relevance Measures with Incomplete Judgments",
        venue=_SIGIR.format("30th"),
        short="SIGIR",
        year=2007,
        more={"pages": "359--366"},
    ),
    "buckley-voorhees-2004": Paper(
        authors=("Buckley, Chris", "Voorhees, Ellen M."),
        title="Retrieval Evaluation with Incomplete Information",
        venue=_SIGIR.format("27th"),
        short="SIGIR",
        year=2004,
        more={"pages": "25--32"},
    ),
    "buckley-voorhees-2005": Paper(
        authors=("Buckley, Chris", "Voorhees, Ellen M."),
        title="Retrieval System Evaluation",
        venue="TREC: Experiment and Evaluation in Information Retrieval",
        short="in TREC: Experiment and Evaluation in Information Retrieval,",
        year=2005,
        kind="incollection",
        more={"editor": "Voorhees, Ellen M. and Harman, Donna K.", "publisher": "MIT Press", "chapter": "3"},
    ),
    "burges-2005": Paper(
        authors=(
            "Burges, Chris",
            "Shaked, Tal",
            "Renshaw, Erin",
            "Lazier, Ari",
            "Deeds, Matt",
            "Hamilton, Nicole",
            "Hullender, Greg",
        ),
        title="Learning to Rank Using Gradient Descent",
        venue="Proceedings of the 22nd International Conference on Machine Learning",
        short="ICML",
        year=2005,
        more={"pages": "89--96"},
    ),
    "buttcher-2007": Paper(
        authors=("Büttcher, Stefan", "Clarke, Charles L. A.", "Yeung, Peter C. K.", "Soboroff, Ian"),
        title="Reliable Information Retrieval Evaluation with Incomplete and Biased Judgements",
        venue=_SIGIR.format("30th"),
        short="SIGIR",
        year=2007,
        more={"pages": "63--70"},
    ),
    "carterette-2009": Paper(
        authors=("Carterette, Ben", "Pavlu, Virgil", "Fang, Hui", "Kanoulas, Evangelos"),
        title="Million Query Track 2009 Overview",
        venue="Proceedings of the Eighteenth Text REtrieval Conference",
        short="TREC",
        year=2009,
    ),
    "carterette-bennett-2008": Paper(
        authors=("Carterette, Ben", "Bennett, Paul N."),
        title="Evaluation Measures for Preference Judgments",
        venue=_SIGIR.format("31st"),
        short="SIGIR",
        year=2008,
    ),
    "chapelle-2009": Paper(
        authors=("Chapelle, Olivier", "Metzler, Donald", "Zhang, Ya", "Grinspan, Pierre"),
        title="Expected Reciprocal Rank for Graded Relevance",
        venue="Proceedings of the 18th ACM Conference on Information and Knowledge Management",
        short="CIKM",
        year=2009,
        more={"pages": "621--630"},
    ),
    "clarke-2008": Paper(
        authors=(
            "Clarke, Charles L. A.",
            "Kolla, Maheedhar",
            "Cormack, Gordon V.",
            "Vechtomova, Olga",
            "Ashkan, Azin",
            "Büttcher, Stefan",
            "MacKinnon, Ian",
        ),
        title="Novelty and Diversity in Information Retrieval Evaluation",
        venue=_SIGIR.format("31st"),
        short="SIGIR",
        year=2008,
        more={"pages": "659--666"},
    ),
    "clarke-2009": Paper(
        authors=("Clarke, Charles L. A.", "Kolla, Maheedhar", "Vechtomova, Olga"),
        title="An Effectiveness Measure for Ambiguous and Underspecified Queries",
        venue="Advances in Information Retrieval Theory",
        short="ICTIR",
        year=2009,
        more={"pages": "188--199"},
    ),
    "clarke-2011": Paper(
        authors=("Clarke, Charles L. A.", "Craswell, Nick", "Soboroff, Ian", "Ashkan, Azin"),
        title="A Comparative Analysis of Cascade Measures for Novelty and Diversity",
        venue="Proceedings of the Fourth ACM International Conference on Web Search and Data Mining",
        short="WSDM",
        year=2011,
        more={"pages": "75--84"},
    ),
    "cochran-1977": Paper(
        authors=("Cochran, William G.",),
        title="Sampling Techniques",
        venue="Wiley",
        short="Wiley",
        year=1977,
        kind="book",
        more={"edition": "3rd"},
    ),
    "hull-1998": Paper(
        authors=("Hull, David A.",),
        title="The TREC-7 Filtering Track: Description and Analysis",
        venue="Proceedings of the Seventh Text REtrieval Conference",
        short="TREC",
        year=1998,
    ),
    "jarvelin-kekalainen-2002": Paper(
        authors=("Järvelin, Kalervo", "Kekäläinen, Jaana"),
        title="Cumulated Gain-Based Evaluation of IR Techniques",
        venue=_TOIS,
        short="TOIS",
        year=2002,
        kind="article",
        more={"volume": "20", "number": "4", "pages": "422--446"},
    ),
    "manning-2008": Paper(
        authors=("Manning, Christopher D.", "Raghavan, Prabhakar", "Schütze, Hinrich"),
        title="Introduction to Information Retrieval",
        venue="Cambridge University Press",
        short="Cambridge University Press",
        year=2008,
        kind="book",
    ),
    "moffat-zobel-2008": Paper(
        authors=("Moffat, Alistair", "Zobel, Justin"),
        title="Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        venue=_TOIS,
        short="TOIS",
        year=2008,
        kind="article",
        more={"volume": "27", "number": "1"},
    ),
    "robertson-2006": Paper(
        authors=("Robertson, Stephen",),
        title="On GMAP: and Other Transformations",
        venue="Proceedings of the 15th ACM International Conference on Information and Knowledge Management",
        short="CIKM",
        year=2006,
        more={"pages": "78--83"},
    ),
    "robertson-zaragoza-2007": Paper(
        authors=("Robertson, Stephen", "Zaragoza, Hugo"),
        title="On Rank-Based Effectiveness Measures and Optimization",
        venue="Information Retrieval",
        short="Information Retrieval",
        year=2007,
        kind="article",
        more={"volume": "10", "number": "3", "pages": "321--339"},
    ),
    "van-rijsbergen-1979": Paper(
        authors=("van Rijsbergen, C. J.",),
        title="Information Retrieval",
        venue="Butterworths",
        short="Butterworths",
        year=1979,
        kind="book",
        more={"edition": "2nd"},
    ),
    "voorhees-1999": Paper(
        authors=("Voorhees, Ellen M.",),
        title="The TREC-8 Question Answering Track Report",
        venue="Proceedings of the Eighth Text REtrieval Conference",
        short="TREC",
        year=1999,
    ),
    "yilmaz-aslam-2006": Paper(
        authors=("Yilmaz, Emine", "Aslam, Javed A."),
        title="Inferred AP: Estimating Average Precision with Incomplete Judgments",
        venue=_SIGIR.format("29th"),
        short="SIGIR",
        year=2006,
        more={"note": "Poster"},
    ),
    "yilmaz-aslam-2008": Paper(
        authors=("Yilmaz, Emine", "Aslam, Javed A."),
        title="Estimating Average Precision When Judgments Are Incomplete",
        venue="Knowledge and Information Systems",
        short="KAIS",
        year=2008,
        kind="article",
        more={"volume": "16", "number": "2", "pages": "173--211"},
    ),
    "yilmaz-kanoulas-aslam-2008": Paper(
        authors=("Yilmaz, Emine", "Kanoulas, Evangelos", "Aslam, Javed A."),
        title="A Simple and Efficient Sampling Method for Estimating AP and NDCG",
        venue=_SIGIR.format("31st"),
        short="SIGIR",
        year=2008,
        more={"pages": "603--610"},
    ),
    "zhai-2003": Paper(
        authors=("Zhai, ChengXiang", "Cohen, William W.", "Lafferty, John"),
        title="Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval",
        venue=_SIGIR.format("26th"),
        short="SIGIR",
        year=2003,
        more={"pages": "10--17"},
    ),
}
"""By key, in ascending order."""

_CITED = re.compile(r"\[([a-z][a-z-]*-[0-9]{4})\]")


def papers_cited(text: str) -> list[str]:
    """Return the keys of the papers that a text cites, in its order, each once.

    >>> papers_cited("Source: [moffat-zobel-2008]; see also [nobody-1999].")
    ['moffat-zobel-2008']
    """
    return [key for key in dict.fromkeys(_CITED.findall(text)) if key in PAPERS]


def with_references(text: str) -> str:
    """Replace the keys of papers in a text by references; other brackets stay."""
    return _CITED.sub(lambda match: PAPERS[match[1]].reference if match[1] in PAPERS else match[0], text)
