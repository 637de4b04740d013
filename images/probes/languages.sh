#!/bin/bash
# Builds and runs one small program in each language of the image and prints one line for each: "<language> ok".
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
expect() {
  if [ "$2" = 42 ]; then
    echo "$1 ok"
  else
    echo "$1 printed '$2', not 42" >&2
    exit 1
  fi
}

expect Bash "$((6 * 7))"
expect Python "$(python -c 'print(6 * 7)')"
expect Node "$(node -e 'console.log([6, 7].reduce((a, b) => a * b))')"
printf '#include <stdio.h>\nint main(void) { printf("%%d\\n", 6 * 7); }\n' > main.c && gcc -O1 -o c-program main.c
expect C "$(./c-program)"
printf '#include <iostream>\nint main() { std::cout << 6 * 7 << std::endl; }\n' > main.cc && g++ -o cc-program main.cc
expect C++ "$(./cc-program)"
printf 'package main\nimport "fmt"\nfunc main() { fmt.Println(6 * 7) }\n' > main.go
expect Go "$(go run main.go)"
