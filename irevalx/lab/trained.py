"""From the names of files and classifiers to what can be completed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from irevalx.errors import InputError, shown_name
from irevalx.judgments import Judgments
from irevalx.lab.classifiers import Classifier
from irevalx.lab.collection import Collection
from irevalx.lab.documents import read_documents
from irevalx.reading.source import Source


def collection_for(judgments: Judgments, paths: Sequence[str]) -> Collection:
    """Read the documents of some judgments, and count the words of all others.

    Raises
    ------
    InputError : none of the judgments' documents is there, or none has a word.
    And what reading documents raises.
    """
    documents = chain.from_iterable(read_documents(Source(path)) for path in paths)
    collection = Collection.of(documents, set(judgments.docnos.texts()))
    if not collection.docnos:
        files = ", ".join(map(shown_name, paths))
        raise InputError(
            f"{files}: there must be text of documents that were judged or pooled, but of the {collection.n_documents} "
            "documents there none is such"
        )
    return collection


def classifier_for(name: str, collection: Collection) -> Classifier:
    """Return the classifier of this name, one of ``CLASSIFIERS``; what it needs is imported only now."""
    if name == "kld":
        from irevalx.lab.language_models import LanguageModels

        return LanguageModels(collection)
    from irevalx.lab.support_vectors import SupportVectors

    return SupportVectors(collection)
