"""What is known of documents: grades, grades in groups, preferences, and the pool of documents chosen for judging.

Records without a ranking; ``reading`` makes them from files, ``ranking`` assesses rankings with them.
"""
