"""Words that hold a sentence together and say nothing of what it is about, in the languages of the corpus.

A router hears them all the same: "how many" says something of what is asked for. A person who gives a reason for a
decision would not name them.
"""

from __future__ import annotations

ENGLISH = frozenset(
    (
        "a about after all also am an and any are as at back be been before but by can could did do does done down for "
        "from get give go got had has have how i i'd i'm i've if in into is it it's its just let like many may me more "
        "most much my need next no not now of off on one only or other our out over please should so some still tell "
        "than that the their them then there these they this those to too up us use want was we were what what's when "
        "where which who whose why will with would yes you your "
    ).split()
)

FOREIGN = frozenset(
    (
        # German
        "ab aber alle alles als am an auch auf aus bei bis bitte da damit das dass dem den denn der des die dies diese "
        "dir du durch ein eine einem einen einer eines er es für fürs habe haben hat ich ihr im in ist ja kannst kein "
        "keine können mal man mein meine meinem meinen meiner brauche brauchen braucht möchte möchten müssen "
        "mir mit muss nach nicht noch nun nur ob oder sein sich sie sind so soll über um wann "
        "und uns unter vom von vor war was welche welcher wenn wer werden wie wieder wir wird wo zu zum zur "
        # Spanish, Portuguese, Italian, French
        "al aquí como cómo con cuál cuáles cuando de del desde dónde el en es esta está este esto hay la las le lo los "
        "me mi mis no o para pero por porque qué que quién se si sin son su sus tu un una unas unos y ya yo "
        "necesito necesita quiero quiere puede puedo tengo preciso precisa estou queria posso devo hai vorrei viene "
        "aí ao aos as com da das do dos e ela ele em essa esse esta eu foi isso já mais mas meu minha na nas no nos "
        "não nós o os ou para pela pelo pra qual quais quando quem quero são só tem tá um uma você "
        "a ai alla al anche c'è che chi ci come con cosa dal dalla degli dei del della delle di dove e è fra gli ho i "
        "il in io l la le lo ma mi mio ne nei nel nella non ogni per più quale quali quando quanto questo se sei si "
        "sono su sul sulla ti tra tutti un una uno "
        "besoin dois doit faut veux veut voudrais peux peut combien "
        "à après au aux avec avant ça c'est ce ces cette ceux chez comme dans de des donc du elle en est et eux il ils "
        "j j'ai je l la le les leur lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas plus pour qu'on "
        "quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sous sur ta te tes toi ton tous tout "
        "toute très tu un une vos votre vous y "
        # Dutch, Swedish
        "aan al als bij dat de deze die dit een en er het hij hoe ik in is je kan maar me met mijn moet naar niet nog "
        "of om onze ook op over te tot uit van voor waar wat we welke wie wil wordt zijn "
        "att av de den det där en ett för från har hur i inte jag kan med min och om på som till vad var vi är "
        # Polish, Turkish
        "ale by być co czy dla do gdzie i ich ile ja jak jaki jakie jest już kto która które mi mnie moje może na nie "
        "o od po proszę przed się są ta tak te tego to tu w we z za ze że "
        "bana bir bu çok da daha de en için ile mi ne o olan şu var ve"
    ).split()
)
FUNCTION_WORDS = ENGLISH | FOREIGN
