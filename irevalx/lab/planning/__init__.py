"""How many topics an experiment needs: the command power."""
