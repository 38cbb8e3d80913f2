# uren van Sem, zaterdaghulp
UREN = [6, 7.5, 5, 8]
LOON = 11.5

totaal = sum(UREN)
print("uren", totaal)
print("loon", totaal * LOON)
