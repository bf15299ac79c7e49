"""Judging strategies, which select the next document to judge, given the judgments so far. No module imports click."""
