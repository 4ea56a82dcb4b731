/** The part of a packed package that an install needs. */
export interface Installable {
  /** Path of the tarball. */
  readonly tarball: string
  /** Names of the packages that it needs, ours and others. */
  readonly needs: readonly string[]
}

/** Packed packages by name. */
export type Installables = ReadonlyMap<string, Installable>

/**
 * The first `npm install` command of a README.
 * @returns Its arguments. `undefined` for a README without one.
 */
export function readInstallCommand(readme: string): readonly string[] | undefined {
  return /^npm install (?<names>.+)$/m.exec(readme)?.groups?.['names']?.split(/\s+/)
}

/**
 * The line that installs a package from tarballs: its README's command, with each name of ours replaced by its tarball.
 * The tarballs of what these packages need come with them, because no registry has them.
 * @throws RangeError for a package that is not packed
 */
export function installLine(name: string, readme: string, packages: Installables): string {
  const given = readInstallCommand(readme) ?? [name]
  const others = given.filter((argument) => !packages.has(argument))
  const ours = withNeeds([name, ...given.filter((argument) => packages.has(argument))], packages)
  return ['npm install', ...ours.map((one) => quoted(find(one, packages).tarball)), ...others].join(' ')
}

/** A path as a shell reads it: quoted if it has a space. */
function quoted(path: string): string {
  return /\s/.test(path) ? JSON.stringify(path) : path
}

/** These packages and those of ours that they need, each once. */
function withNeeds(names: readonly string[], packages: Installables): readonly string[] {
  const all = new Set<string>()
  const add = (name: string): void => {
    if (all.has(name) || !packages.has(name)) return
    all.add(name)
    for (const need of find(name, packages).needs) add(need)
  }
  for (const name of names) {
    find(name, packages)
    add(name)
  }
  return [...all]
}

function find(name: string, packages: Installables): Installable {
  const found = packages.get(name)
  if (found === undefined) throw new RangeError(`${name} is no published package: ${[...packages.keys()].join(', ')}`)
  return found
}
