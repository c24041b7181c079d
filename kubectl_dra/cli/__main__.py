"""`python -m kubectl_dra.cli`: the tool where its console script is not on PATH."""

from kubectl_dra.cli.main import main

main()
