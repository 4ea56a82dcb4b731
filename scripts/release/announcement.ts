import { OWN_WORKFLOWS } from './publish-plan.ts'

/** A tagged version of a package. */
export interface Release {
  /** Such as `@svc-audio/core@0.1.0`. */
  readonly tag: string
  readonly name: string
  readonly version: string
}

/** Workflows that start when a package is released, besides {@link OWN_WORKFLOWS}. */
const STARTED_BY: ReadonlyMap<string, string> = new Map([['@svc-audio/service', 'image.yml']])

/** The releases among tags. A tag without name and version is none. */
export function releasesOf(tags: readonly string[]): readonly Release[] {
  return tags.flatMap((tag) => {
    const { name, version } = /^(?<name>(?:@[^/@]+\/)?[^/@]+)@(?<version>\d+\.\d+\.\d+\S*)$/.exec(tag)?.groups ?? {}
    return name === undefined || version === undefined ? [] : [{ tag, name, version }]
  })
}

/** The file in which `sbom:all` writes the bill of materials of a package. */
export function billOf(name: string): string {
  return `${name.replace(/^@/, '').replace('/', '-')}.json`
}

/**
 * What a changelog says of a version.
 * @throws RangeError when it says nothing
 */
export function notesOf(changelog: string, { tag, version }: Release): string {
  const section = changelog.split(/^## /m).find((one) => one.startsWith(`${version}\n`))
  const notes = section?.slice(version.length).trim() ?? ''
  if (notes === '') throw new RangeError(`The changelog of ${tag} says nothing of ${version}. Run changeset version`)
  return notes
}

/** Arguments of `gh` that start the workflow of a release from its tag. @returns nothing when it has none */
export function startOf({ name, tag }: Release): readonly string[] | undefined {
  const workflow = OWN_WORKFLOWS.get(name) ?? STARTED_BY.get(name)
  return workflow === undefined ? undefined : ['workflow', 'run', workflow, '--ref', tag]
}
