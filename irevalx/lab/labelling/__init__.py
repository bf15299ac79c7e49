"""How far labels from elsewhere agree with judgments: the command labels."""
