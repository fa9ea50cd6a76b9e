"""The papers behind the claims, and their BibTeX."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper: authors as "First Last", `arxiv` id, where it appeared (`venue`), or "" if only on arXiv."""

    key: str
    authors: tuple[str, ...]
    title: str
    year: int
    arxiv: str
    venue: str = ""

    @property
    def short(self) -> str:
        """Authors' last names and the year, as in a text."""
        names = [author.split()[-1] for author in self.authors]
        if not names:
            return f"arXiv {self.arxiv}"
        who = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        return f"{who} ({self.year})"


_LIST = (
    Paper(
        "glpr23",
        ("Borjan Geshkovski", "Cyril Letrouit", "Yury Polyanskiy", "Philippe Rigollet"),
        "The emergence of clusters in self-attention dynamics",
        2023,
        "2305.05465",
        "Advances in Neural Information Processing Systems 36",
    ),
)
PAPERS = {paper.key: paper for paper in _LIST}
