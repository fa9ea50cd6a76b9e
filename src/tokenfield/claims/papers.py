"""The papers behind the claims, and their BibTeX.

Titles and authors as on arXiv or in the proceedings. What could not be confirmed is left out rather than guessed: the
title is then the arXiv id, authors are missing or end with "others".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from tokenfield import __version__
from tokenfield.errors import InvalidInput, did_you_mean

# combining characters of Unicode and the LaTeX commands that put the same accent on a letter
_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030c": "v ", "\u0327": "c "}
_SPECIAL = {c: "\\" + c for c in "&%$#_"} | {"ø": r"{\o}", "ł": r"{\l}", "ß": r"{\ss}", "ı": r"{\i}", "–": "--"}


@dataclass(frozen=True)
class Paper:
    """A paper: authors as "First Last" ("others" for further ones), `arxiv` id, where it appeared or "" (`venue`).

    A `volume`, and an issue `number` of it, is given for journals only.
    """

    key: str
    authors: tuple[str, ...]
    title: str
    year: int
    arxiv: str
    venue: str = ""
    volume: str = ""
    number: str = ""

    @property
    def short(self) -> str:
        """Authors' last names and the year, as in a text."""
        names = [author.split()[-1] for author in self.authors]
        if not names:
            return f"arXiv {self.arxiv}"
        is_list = len(names) > 2 or names[-1] == "others"
        return f"{f'{names[0]} et al.' if is_list else ' and '.join(names)} ({self.year})"

    @property
    def url(self) -> str:
        """Its page on arXiv."""
        return f"https://arxiv.org/abs/{self.arxiv}"

    @property
    def appeared(self) -> str:
        """Where it appeared, in words."""
        issue = f"({self.number})" if self.number else ""
        return f"{self.venue} {self.volume}{issue}".strip() if self.venue else f"arXiv {self.arxiv}"


_GLPR = ("Borjan Geshkovski", "Cyril Letrouit", "Yury Polyanskiy", "Philippe Rigollet")
_BPA = ("Giuseppe Bruno", "Federico Pasqualotto", "Andrea Agazzi")
_NEURIPS = "Advances in Neural Information Processing Systems"
_ICLR = "International Conference on Learning Representations"

_LIST = (
    Paper(
        "glpr23",
        _GLPR,
        "The emergence of clusters in self-attention dynamics",
        2023,
        "2305.05465",
        f"{_NEURIPS} 36",
    ),
    Paper(
        "glpr25",
        _GLPR,
        "A mathematical perspective on Transformers",
        2025,
        "2312.10794",
        "Bulletin of the American Mathematical Society",
        "62",
        "3",
    ),
    Paper(
        "bpa25",
        _BPA,
        "Emergence of meta-stable clustering in mean-field transformer models",
        2025,
        "2410.23228",
        _ICLR,
    ),
    Paper(
        "bpa25b",
        _BPA,
        "A multiscale analysis of mean-field transformers in the moderate interaction regime",
        2025,
        "2509.25040",
        f"{_NEURIPS} 38",
    ),
    Paper(
        "cacp25",
        ("Valérie Castin", "Pierre Ablin", "José Antonio Carrillo", "Gabriel Peyré"),
        "A Unified Perspective on the Dynamics of Deep Transformers",
        2025,
        "2501.18322",
    ),
    Paper(
        "sabp22",
        ("Michael E. Sander", "Pierre Ablin", "Mathieu Blondel", "Gabriel Peyré"),
        "Sinkformers: Transformers with Doubly Stochastic Attention",
        2022,
        "2110.11773",
        "International Conference on Artificial Intelligence and Statistics",
    ),
    Paper(
        "dcl21",
        ("Yihe Dong", "Jean-Baptiste Cordonnier", "Andreas Loukas"),
        "Attention is not all you need: pure attention loses rank doubly exponentially with depth",
        2021,
        "2103.03404",
        "International Conference on Machine Learning",
    ),
    Paper(
        "xtchl24",
        ("Guangxuan Xiao", "Yuandong Tian", "Beidi Chen", "Song Han", "Mike Lewis"),
        "Efficient Streaming Language Models with Attention Sinks",
        2024,
        "2309.17453",
        _ICLR,
    ),
    Paper(
        "gkpr24",
        ("Borjan Geshkovski", "Hugo Koubbi", "Yury Polyanskiy", "Philippe Rigollet"),
        "Dynamic metastability in the self-attention model",
        2024,
        "2410.06833",
    ),
    Paper(
        "kpr24",
        ("Nikita Karagodin", "Yury Polyanskiy", "Philippe Rigollet"),
        "Clustering in Causal Attention Masking",
        2024,
        "2411.04990",
        f"{_NEURIPS} 37",
    ),
    Paper(
        "kgpr25",
        ("Nikita Karagodin", "Shu Ge", "Yury Polyanskiy", "Philippe Rigollet"),
        "Normalization in Attention Dynamics",
        2025,
        "2510.22026",
        f"{_NEURIPS} 38",
    ),
    Paper(
        "clpr25",
        ("Shi Chen", "Zhengjiang Lin", "Yury Polyanskiy", "Philippe Rigollet"),
        "Quantitative Clustering in Mean-Field Transformer Models",
        2025,
        "2504.14697",
    ),
    Paper(
        "clpr26",
        ("Shi Chen", "Zhengjiang Lin", "Yury Polyanskiy", "Philippe Rigollet"),
        "Critical attention scaling in long-context transformers",
        2026,
        "2510.05554",
        _ICLR,
    ),
    Paper(
        "scaling26",
        ("Giuseppe Bruno", "Shi Chen", "Zhengjiang Lin", "Yury Polyanskiy", "Philippe Rigollet"),
        "Scaling Limits of Long-Context Transformers",
        2026,
        "2605.08505",
    ),
    Paper(
        "rigollet26",
        ("Philippe Rigollet",),
        "The Mean-Field Dynamics of Transformers",
        2026,
        "2512.01868",
        "Proceedings of the International Congress of Mathematicians",
    ),
    Paper(
        "noise26",
        ("Kyunghoo Mun", "Matthew Rosenzweig"),
        "Phase transitions for the noisy transformer model in arbitrary dimension",
        2026,
        "2606.05140",
    ),
    # its authors are known from noise26, which calls it "the authors' recent d = 2 work"; its title is not confirmed
    Paper("noise26b", ("Kyunghoo Mun", "Matthew Rosenzweig"), "arXiv:2604.16288", 2026, "2604.16288"),
    Paper(
        "shalova24",
        ("Anna Shalova", "André Schlichting"),
        "Solutions of stationary McKean-Vlasov equation on a high-dimensional sphere and other Riemannian manifolds",
        2024,
        "2412.14813",
    ),
    Paper(
        "bbr25",
        ("Krishnakumar Balasubramanian", "Sayan Banerjee", "Philippe Rigollet"),
        "On the Structure of Stationary Solutions to McKean-Vlasov Equations with Applications to Noisy Transformers",
        2025,
        "2510.20094",
    ),
    Paper(
        "crmb24",
        ("Christopher Criscitiello", "Quentin Rebjock", "Andrew D. McRae", "Nicolas Boumal"),
        "Synchronization on circles and spheres with nonlinear interactions",
        2024,
        "2405.18273",
    ),
    Paper(
        "pry25",
        ("Yury Polyanskiy", "Philippe Rigollet", "Andrew Yao"),
        "Synchronization of mean-field models on the circle",
        2025,
        "2507.22857",
    ),
    Paper(
        "homogenized26",
        ("Hugo Koubbi", "Borjan Geshkovski", "Philippe Rigollet"),
        "Homogenized Transformers",
        2026,
        "2604.01978",
    ),
    Paper(
        "fedorov26",
        ("Lev Fedorov", "Michaël E. Sander", "Romuald Elie", "Pierre Marion", "Mathieu Laurière"),
        "Clustering in Deep Stochastic Transformers",
        2026,
        "2601.21942",
    ),
    Paper(
        "middle26",
        ("Mitia Duerinckx", "Borjan Geshkovski", "Stefano Rossi"),
        "Kinetic theory for Transformers and the lost-in-the-middle phenomenon",
        2026,
        "2605.09213",
    ),
    # neither authors nor title are confirmed
    Paper("rope26", (), "arXiv:2607.24502", 2026, "2607.24502"),
    Paper(
        "grr24",
        ("Borjan Geshkovski", "Philippe Rigollet", "Domènec Ruiz-Balet"),
        "Measure-to-measure interpolation using Transformers",
        2024,
        "2411.04551",
    ),
    Paper(
        "afz25b",
        ("Albert Alcalde", "Giovanni Fantuzzi", "Enrique Zuazua"),
        "Exact Sequence Interpolation with Transformers",
        2025,
        "2502.02270",
    ),
    Paper(
        "ajz26",
        ("Albert Alcalde", "Zhengping Ji", "Enrique Zuazua"),
        "Reachability and asymptotics of Gaussian Transformer dynamics",
        2026,
        "2606.07600",
    ),
    Paper(
        "crbd18",
        ("Ricky T. Q. Chen", "Yulia Rubanova", "Jesse Bettencourt", "David Duvenaud"),
        "Neural Ordinary Differential Equations",
        2018,
        "1806.07366",
        "Advances in Neural Information Processing Systems",
    ),
    Paper(
        "rz23",
        ("Domènec Ruiz-Balet", "Enrique Zuazua"),
        "Neural ODE control for classification, approximation and transport",
        2023,
        "2104.05278",
        "SIAM Review",
    ),
    Paper(
        "afz25",
        ("Albert Alcalde", "Giovanni Fantuzzi", "Enrique Zuazua"),
        "Clustering in pure-attention hardmax transformers and its role in sentiment analysis",
        2025,
        "2407.01602",
        "SIAM Journal on Mathematics of Data Science",
        "7",
        "3",
    ),
    Paper(
        "cnqg24",
        ("Aditya Cowsik", "Tamra Nebabu", "Xiao-Liang Qi", "Surya Ganguli"),
        "Geometric dynamics of signal propagation predict trainability of transformers",
        2024,
        "2403.02579",
    ),
    Paper(
        "frank26",
        ("Albert Alcalde", "Borjan Geshkovski", "Domènec Ruiz-Balet"),
        "Attention's forward pass and Frank-Wolfe",
        2026,
        "2508.09628",
        "International Conference on Machine Learning",
    ),
    Paper(
        "perceptrons26",
        ("Antonio Álvarez-López", "Borjan Geshkovski", "Domènec Ruiz-Balet"),
        "Perceptrons and localization of attention's mean-field landscape",
        2026,
        "2601.21366",
    ),
    # the order of the authors is not confirmed
    Paper(
        "scores26",
        ("Tomohiro Hayase", "Ryo Karakida"),
        "A Unified Framework for Critical Scaling of Inverse Temperature in Self-Attention",
        2026,
        "2605.12697",
    ),
    Paper(
        "wawjj24",
        ("Xinyi Wu", "Amir Ajorlou", "Yifei Wang", "Stefanie Jegelka", "Ali Jadbabaie"),
        "On the Role of Attention Masks and LayerNorm in Transformers",
        2024,
        "2405.18781",
        f"{_NEURIPS} 37",
    ),
    Paper(
        "rst24",
        ("Álvaro Rodríguez Abella", "João Pedro Silvestre", "Paulo Tabuada"),
        "The Asymptotic Behavior of Attention in Transformers",
        2024,
        "2412.02682",
    ),
    Paper(
        "gg26",
        ("Alessio Giorlandino", "Sebastian Goldt"),
        "Two failure modes of deep transformers and how to avoid them: a unified theory of signal propagation at "
        "initialisation",
        2026,
        "2505.24333",
        _ICLR,
    ),
    # the order of the authors is not confirmed
    Paper(
        "adamw26",
        ("William Gibson", "Christoph Reisinger"),
        "Uniform Scaling Limits in AdamW-Trained Transformers",
        2026,
        "2605.11059",
    ),
    Paper(
        "grs24",
        ("Borjan Geshkovski", "Philippe Rigollet", "Yihang Sun"),
        "On the number of modes of Gaussian kernel density estimators",
        2024,
        "2412.09080",
    ),
    Paper(
        "cirrincione26",
        ("Giansalvo Cirrincione",),
        "Rank, Head-Channel Non-Identifiability, and Symmetry Breaking: A Precise Analysis of Representational "
        "Collapse in Transformers",
        2026,
        "2604.23681",
    ),
    Paper(
        "chaos26",
        ("Shi Chen", "Zhengjiang Lin", "Kaizhao Liu", "Philippe Rigollet"),
        "Propagation of Chaos in Contextual Flow Maps",
        2026,
        "2605.16747",
    ),
    Paper(
        "hs23",
        ("Hangfeng He", "Weijie J. Su"),
        "A Law of Data Separation in Deep Learning",
        2023,
        "2210.17020",
        "Proceedings of the National Academy of Sciences",
        "120",
        "36",
    ),
)
PAPERS = {paper.key: paper for paper in _LIST}


def bibtex(keys: Iterable[str]) -> str:
    """BibTeX of the papers with these keys, each once, in the order of `PAPERS`.

    >>> print(bibtex(["rigollet26"]))
    @inproceedings{rigollet26,
      author        = {Rigollet, Philippe},
      title         = {{The Mean-Field Dynamics of Transformers}},
      booktitle     = {Proceedings of the International Congress of Mathematicians},
      year          = {2026},
      eprint        = {2512.01868},
      archivePrefix = {arXiv},
      url           = {https://arxiv.org/abs/2512.01868},
    }
    """
    wanted = set(keys)
    for key in sorted(wanted - PAPERS.keys()):
        raise InvalidInput(f"there is no paper {key!r}{did_you_mean(key, PAPERS)}")
    return "\n\n".join(_entry(paper) for paper in _LIST if paper.key in wanted)


def software() -> str:
    """BibTeX of tokenfield itself."""
    return f"""@software{{tokenfield,
  author        = {{{{The tokenfield authors}}}},
  title         = {{tokenfield: the mean-field dynamics of transformers}},
  version       = {{{__version__}}},
  year          = {{2026}},
}}"""


def _entry(paper: Paper) -> str:
    kind = "misc" if not paper.venue else "article" if paper.volume else "inproceedings"
    fields = {
        "author": " and ".join(map(_inverted, paper.authors)),
        "title": f"{{{_latex(paper.title)}}}",  # a second pair of braces keeps the capitals
        {"article": "journal", "inproceedings": "booktitle"}.get(kind, ""): _latex(paper.venue),
        "volume": paper.volume,
        "number": paper.number,
        "year": str(paper.year),
        "eprint": paper.arxiv,
        "archivePrefix": "arXiv",
        "url": paper.url,
    }
    lines = [f"  {name:13} = {{{value}}}," for name, value in fields.items() if name and value]
    return "\n".join([f"@{kind}{{{paper.key},", *lines, "}"])


def _inverted(author: str) -> str:
    *first, last = author.split()
    return _latex(f"{last}, {' '.join(first)}" if first else last)


def _latex(text: str) -> str:
    """`text` in ASCII for LaTeX: é becomes {\\'e}."""
    letters: list[str] = []
    for c in unicodedata.normalize("NFD", text):
        if c in _ACCENTS:
            letters[-1] = f"{{\\{_ACCENTS[c]}{letters[-1]}}}"
        else:
            letters.append(_SPECIAL.get(c, c))
    return "".join(letters)
