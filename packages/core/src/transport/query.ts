/** A path with a query string of the fields that are set. */
export function withQuery(path: string, query: object): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string' || typeof value === 'number') parameters.set(name, String(value))
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}
