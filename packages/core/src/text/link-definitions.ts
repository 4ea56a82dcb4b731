/** Longest label that is looked up, in characters. */
export const LABEL_MAX = 200

const DEFINITION = /^ {0,3}\[(?!\^|pause \d)([^[\]]{1,200})\]:[ \t]*(<[^<>\r\n]*>|\S+)/
/** "[Bob]: Hello" is what somebody says. */
const TARGET = /^(?:<|[a-z][a-z\d+.-]{1,20}:|\/|\.{1,2}\/|#|www\.)/i

/** The labels of a text's `[label]: address` lines. */
export function linkDefinitions(lines: readonly string[]): ReadonlySet<string> {
  const labels = new Set<string>()
  for (const line of lines) {
    const label = definedLabel(line)
    if (label !== undefined) labels.add(label)
  }
  return labels
}

/** The label that a line defines, as {@link normalizeLabel} spells it. */
export function definedLabel(line: string): string | undefined {
  const found = DEFINITION.exec(line)
  const [whole, label, target] = found ?? []
  if (whole === undefined || label === undefined || target === undefined || !TARGET.test(target)) return undefined
  const title = line.slice(whole.length).trim()
  return title === '' || /^(?:"[^"]*"|'[^']*'|\([^()]*\))$/.test(title) ? normalizeLabel(label) : undefined
}

/** A label as it is compared. */
export function normalizeLabel(label: string): string {
  return label.trim().toLowerCase().replaceAll(/\s+/g, ' ')
}
