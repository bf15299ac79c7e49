"""Leave-one-group-out reusability test.

    leave_out          leave_out() and its command
    results            rows and tables
    new_runs           expected bias of unpooled runs
    new_run_results    rows and sentences about unpooled runs
    figures            changes, and the bias against the share of unjudged documents

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007.
"""
