# Lectern as a service: the daemon with the page, and programs in its sessions. Build it in a clone after `npm ci && npm run build && npm pack`:
#   docker build --build-arg PACKAGE=lectern-0.2.0.tgz -t lectern .
#   docker run -d --name lectern --network host -v lectern-data:/data lectern
# The daemon listens on loopback only: with the network of the host that is the loopback of the host; without, use "docker exec lectern lectern ls".
# An image of your own with the agents that you use: FROM lectern, then USER root, npm install -g ..., USER lectern.
FROM node:26-bookworm-slim

ARG PACKAGE
# git and curl are what agents use most; bubblewrap is the sandbox of sessions; tini reaps what sessions leave behind.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates curl git procps tini \
  && rm -rf /var/lib/apt/lists/*

COPY ${PACKAGE} /tmp/lectern.tgz
RUN npm install --global --no-audit --no-fund /tmp/lectern.tgz && rm -rf /tmp/lectern.tgz /root/.npm \
  && useradd --create-home --uid 10001 --shell /bin/bash lectern \
  && install -d -o lectern -g lectern -m 0700 /data

USER lectern
WORKDIR /home/lectern
# Journals, the token and the database. The socket is in it too, so `docker exec NAME lectern ls` works.
ENV LECTERN_HOME=/data
VOLUME /data
# No command of Lectern: it would start a daemon where none runs.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["curl", "-fsS", "--unix-socket", "/data/run/daemon.sock", "http://lectern/healthz"]
ENTRYPOINT ["tini", "--"]
CMD ["lectern", "up"]
