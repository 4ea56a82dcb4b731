/** What `changeset publish-plan` writes, and `changeset pack` and `changeset publish` read. */
export interface PublishPlan {
  readonly version: number
  /** Releases in the order of their dependencies. */
  readonly plan: readonly (readonly PlannedRelease[])[]
}

/** A version that the registry does not have. */
export interface PlannedRelease {
  readonly kind: 'publish' | 'tag-only'
  readonly name: string
  readonly version: string
}

/**
 * Packages that a workflow of their own publishes, with its file. n8n verifies a package by the workflow that has
 * published it.
 */
export const OWN_WORKFLOWS: ReadonlyMap<string, string> = new Map([['n8n-nodes-svc-audio', 'publish.yml']])

/** The plan in which packages with a workflow of their own are only tagged. Their workflow starts from that tag. */
export function tagOwnWorkflows({ version, plan }: PublishPlan): PublishPlan {
  return {
    version,
    plan: plan.map((releases) =>
      releases.map((release) => {
        if (!OWN_WORKFLOWS.has(release.name)) return release
        return { kind: 'tag-only', name: release.name, version: release.version }
      }),
    ),
  }
}
