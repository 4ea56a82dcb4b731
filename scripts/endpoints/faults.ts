/** An endpoint of the service, as its description names it. */
export interface DescribedEndpoint {
  /** Families of rules in docs/rules.json, or the page that documents an addition of the service. */
  readonly rules: readonly string[] | { readonly page: string }
}

/** What the endpoints are compared with. */
export interface EndpointSources {
  /** Families of rules: the part of each id before the dot. */
  readonly families: ReadonlySet<string>
  /** Content of a page of the documentation. `undefined` for a missing page. */
  readonly page: (path: string) => string | undefined
  /** The tests over HTTP, joined. */
  readonly tests: string
}

/**
 * Finds endpoints without a test, without a rule, or without a page that documents them.
 * @param endpoints By method and path, e.g. `GET /v1/files/:file_id`.
 * @returns One line for each fault, with the remedy.
 */
export function findEndpointFaults(
  endpoints: Readonly<Record<string, DescribedEndpoint>>,
  { families, page, tests }: EndpointSources,
): string[] {
  return Object.entries(endpoints).flatMap(([endpoint, { rules }]) => {
    const path = endpoint.slice(endpoint.indexOf(' ') + 1)
    const fixed = path.split('/:', 1)[0] ?? ''
    const faults: string[] = []
    if (!tests.includes(fixed)) faults.push(`${endpoint} has no test: call ${fixed} in apps/service/test`)
    if ('page' in rules) {
      const text = page(rules.page)
      if (text?.includes(fixed) !== true) faults.push(`${endpoint} is not documented: name ${fixed} in ${rules.page}`)
      return faults
    }
    if (rules.length === 0) faults.push(`${endpoint} keeps no rule: name families of docs/rules.json, or a page`)
    for (const family of rules) {
      if (!families.has(family)) faults.push(`${endpoint} names the unknown rules ${family}: see docs/rules.json`)
    }
    return faults
  })
}
