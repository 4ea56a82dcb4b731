/** Whether one of the texts holds the filter, whatever its case; without a filter, all do. */
export function matches(filter: string | undefined, ...texts: string[]): boolean {
  const wanted = (filter ?? '').trim().toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(wanted))
}
