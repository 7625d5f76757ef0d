# The commands of README.md in a container: `docker build -t dpfair .` installs the versions of constraints.txt, and
# `docker run --rm dpfair` regenerates every table and figure from the committed runs, and proves some on this machine.
FROM python:3.11-slim-bookworm

RUN apt-get update && apt-get install --yes --no-install-recommends git make && rm -rf /var/lib/apt/lists/*

WORKDIR /dpfair
COPY . .
RUN make setup

ENV PATH=/dpfair/.venv/bin:$PATH
CMD ["make", "reproduce"]
