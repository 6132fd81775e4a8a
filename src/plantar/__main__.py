"""`python -m plantar` is the command `plantar`."""

from plantar.cli.app import main

if __name__ == "__main__":
    main()
