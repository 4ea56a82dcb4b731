/** A published package needs no devDependencies: some are packages of this repository, which no registry has. */
function beforePacking({ devDependencies: _own, ...manifest }) {
  return manifest
}

export const hooks = { beforePacking }
