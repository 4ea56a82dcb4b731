/** A path with a query string of the fields that are set. */
export function withQuery(path: string, query: object): string {
  const set = Object.entries(query).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  const parameters = new URLSearchParams(set).toString()
  return parameters === '' ? path : `${path}?${parameters}`
}
