#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Adds the name of the image to an OCI layout, and the file manifest.json, which "docker
load" reads if Docker keeps images in its own format.

Usage: image/manifest.py LAYOUT NAME:TAG
"""

import json
import pathlib
import sys


def blob(descriptor):
    """The path of a blob, relative to the layout."""
    return "blobs/" + descriptor["digest"].replace(":", "/")


def main():
    layout, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    index = json.loads((layout / "index.json").read_text())
    image = index["manifests"][0]
    image["annotations"] = {
        "io.containerd.image.name": f"docker.io/library/{name}",
        "org.opencontainers.image.ref.name": name.partition(":")[2]}
    (layout / "index.json").write_text(json.dumps(index))
    manifest = json.loads((layout / blob(image)).read_text())
    (layout / "manifest.json").write_text(json.dumps([{
        "Config": blob(manifest["config"]), "RepoTags": [name],
        "Layers": [blob(layer) for layer in manifest["layers"]]}]))


if __name__ == "__main__":
    main()
