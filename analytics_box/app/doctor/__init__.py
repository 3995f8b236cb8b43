"""A bundle for reports of problems, that has nothing of people, websites and secrets in it.

It is made of what is known to be harmless: numbers, sizes, words of the program. Nothing is searched for secrets and
blanked, because a search can miss one.
"""
