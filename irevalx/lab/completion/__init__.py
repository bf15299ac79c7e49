"""Prediction of missing judgments from the text of the documents.

    complete            complete() and its command
    predictions         predicted grades, labels used instead of predictions, calibration
    classifiers         term counts; SVM, KLD
    documents           texts from JSON lines or SGML
    completion_options  options that complete shares with leave-out
    quality             precision and recall of predictions

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007.
"""
