/** Adds the defined fields to a path as its query. */
export function withQuery(path: string, query: object): string {
  const set = Object.entries(query).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  const parameters = new URLSearchParams(set).toString()
  return parameters === '' ? path : `${path}?${parameters}`
}
