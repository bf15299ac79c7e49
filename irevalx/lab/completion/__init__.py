"""Prediction of missing judgments from the text of the documents.

    complete            complete() and its command
    predictions         predicted grades, labels that replace predictions, and calibration
    classifiers         term counts, support vector machines and language models
    documents           texts of documents from JSON Lines or SGML
    completion_options  options that complete shares with leave-out
    quality             precision and recall of predictions

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007.
"""
