"""Mistakes that type checkers must find: each marked line, and no other."""

from __future__ import annotations

import numpy as np

import margin
from margin.typing import ClassifierLike

numbers = np.array([[1.0, 2.0], [2.0, 1.0]])
model = margin.NaiveBayes().fit(numbers, [0, 1])

margin.NaiveBayes().fit(3, [0, 1])  # a number is no table
margin.NaiveBayes().fit("table.csv", [0, 1])  # the name of a file is no table
margin.NaiveBayes().fit({"age": [31.0]}, [0, 1])  # a dict of columns becomes a table by Table.from_columns
margin.NaiveBayes().fit(numbers, 1)  # one label for all rows
margin.NaiveBayes().fit(numbers, [0, 1], sample_weight="balanced")  # that is a class_weight
model.predcit(numbers)  # misspelt
margin.NaiveBeyes()  # misspelt
margin.SVC(C="large")  # no number
margin.DecisionTreeClassifier(class_weight="equal")  # no such rule
margin.LogisticRegression(n_jobs="all")  # no number
answer: int = model.predict(numbers)  # answers are an array
probability: str = model.score(numbers, [0, 1])  # a score is a number
margin.evaluate("naive_bayes", numbers, [0, 1])  # a name is no model
other: ClassifierLike = numbers  # nor are rows
