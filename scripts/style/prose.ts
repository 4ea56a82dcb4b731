/** A line of prose and its line number. */
export interface ProseLine {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** Returns the prose of a Markdown page, without code blocks, inline code, addresses and HTML comments. */
export function markdownProse(source: string): readonly ProseLine[] {
  let fence: string | undefined
  const lines: ProseLine[] = []
  for (const [index, text] of source.split('\n').entries()) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      if (marker !== undefined && marker.startsWith(fence)) fence = undefined
    } else if (marker !== undefined) fence = marker
    else lines.push({ line: index + 1, text: withoutCode(text) })
  }
  return lines
}

/**
 * Returns the comments of a TypeScript file: lines that begin as comments, and text after ` // `. This needs no parser and
 * misses only comments in the middle of a line.
 */
export function commentProse(source: string): readonly ProseLine[] {
  const lines: ProseLine[] = []
  for (const [index, text] of source.split('\n').entries()) {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(text)?.[1] ?? /\s\/\/ (.*)$/.exec(text)?.[1]
    if (comment !== undefined) lines.push({ line: index + 1, text: withoutCode(comment) })
  }
  return lines
}

function withoutCode(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, ' ')
    .replaceAll(/<!--.*?-->/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/https?:\/\/\S+/g, ' ')
}
