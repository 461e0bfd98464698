"""What the sources do not have: Italian names of towns and regions, and how many towns of which country are taken."""

# The least population by country; elsewhere WORLD_LEAST of make.
DETAIL = {"IT": 1_000, "SM": 1_000, "VA": 0, "CH": 5_000, "SI": 5_000, "AT": 8_000, "MT": 5_000, "MC": 0, "LI": 1_000, "AD": 1_000}

# Parts of towns that GeoNames has as towns of their own, large enough to hide the town on a map.
UNWANTED = ("Circoiscrizione", "Arrondissement", "Municipio ", "Acilia-Castel Fusano", "Quarto Oggiaro", "Campo di Marte")

# GeoNames calls these by their English names.
ITALIAN = {
    "Rome": "Roma", "Milan": "Milano", "Naples": "Napoli", "Turin": "Torino", "Genoa": "Genova", "Florence": "Firenze", "Venice": "Venezia",
    "Padua": "Padova", "Mantua": "Mantova", "Syracuse": "Siracusa", "Leghorn": "Livorno",
}

# GeoNames' codes of the first level (admin1).
REGIONS = {
    "01": "Abruzzo", "02": "Basilicata", "03": "Calabria", "04": "Campania", "05": "Emilia-Romagna", "06": "Friuli-Venezia Giulia",
    "07": "Lazio", "08": "Liguria", "09": "Lombardia", "10": "Marche", "11": "Molise", "12": "Piemonte", "13": "Puglia", "14": "Sardegna",
    "15": "Sicilia", "16": "Toscana", "17": "Trentino-Alto Adige", "18": "Umbria", "19": "Valle d'Aosta", "20": "Veneto",
}

# Italian names of large towns elsewhere, so that they are found.
EXONYMS = {
    ("FR", "Paris"): "Parigi", ("FR", "Marseille"): "Marsiglia", ("FR", "Lyon"): "Lione", ("FR", "Nice"): "Nizza",
    ("FR", "Strasbourg"): "Strasburgo", ("FR", "Toulouse"): "Tolosa", ("FR", "Toulon"): "Tolone", ("GB", "London"): "Londra",
    ("GB", "Edinburgh"): "Edimburgo", ("IE", "Dublin"): "Dublino", ("DE", "Berlin"): "Berlino", ("DE", "Munich"): "Monaco di Baviera",
    ("DE", "Köln"): "Colonia", ("DE", "Hamburg"): "Amburgo", ("DE", "Frankfurt am Main"): "Francoforte sul Meno",
    ("DE", "Stuttgart"): "Stoccarda", ("DE", "Dresden"): "Dresda", ("DE", "Leipzig"): "Lipsia", ("DE", "Nürnberg"): "Norimberga",
    ("CH", "Zürich"): "Zurigo", ("CH", "Genève"): "Ginevra", ("CH", "Basel"): "Basilea", ("CH", "Bern"): "Berna", ("CH", "Lausanne"): "Losanna",
    ("AT", "Vienna"): "Wien", ("AT", "Salzburg"): "Salisburgo", ("ES", "Barcelona"): "Barcellona", ("ES", "Sevilla"): "Siviglia",
    ("ES", "Zaragoza"): "Saragozza", ("PT", "Lisbon"): "Lisbona", ("BE", "Antwerpen"): "Anversa", ("BE", "Brussels"): "Bruxelles",
    ("DK", "Copenhagen"): "Copenaghen", ("SE", "Stockholm"): "Stoccolma", ("PL", "Warsaw"): "Varsavia", ("PL", "Kraków"): "Cracovia",
    ("PL", "Gdańsk"): "Danzica", ("CZ", "Prague"): "Praga", ("HR", "Zagreb"): "Zagabria", ("HR", "Split"): "Spalato",
    ("SI", "Ljubljana"): "Lubiana", ("RS", "Belgrade"): "Belgrado", ("RO", "Bucharest"): "Bucarest", ("GR", "Athens"): "Atene",
    ("GR", "Thessaloníki"): "Salonicco", ("RU", "Moscow"): "Mosca", ("RU", "Saint Petersburg"): "San Pietroburgo", ("EG", "Cairo"): "Il Cairo",
    ("CN", "Beijing"): "Pechino", ("IN", "Mumbai"): "Bombay", ("CU", "Havana"): "L'Avana", ("MX", "Mexico City"): "Città del Messico",
    ("IL", "Jerusalem"): "Gerusalemme", ("TN", "Tunis"): "Tunisi", ("LY", "Tripoli"): "Tripoli", ("DZ", "Algiers"): "Algeri",
}
