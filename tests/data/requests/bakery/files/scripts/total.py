import csv


def receita(path="vendas.csv"):
    """Soma quantidade vezes preço."""
    with open(path, encoding="utf-8") as source:
        return sum(int(row["quantidade"]) * float(row["preço"]) for row in csv.DictReader(source))


if __name__ == "__main__":
    print(f"{receita():.2f}")
