"""Telt de kaartjes van het najaar op."""
import csv

with open("bezoek najaar.csv", encoding="utf-8") as stroom:
    print("kaartjes:", sum(int(rij["kaartjes"]) for rij in csv.DictReader(stroom)))
