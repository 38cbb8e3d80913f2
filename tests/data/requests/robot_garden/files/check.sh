#!/bin/sh
# counts plants and errors
echo "plants: $(tail -n +2 plants.csv | wc -l | tr -d ' ')"
echo "errors: $(grep -c ERROR garden.log)"
