/** What a workflow did. */
export interface WorkflowRun {
  /** The first item that a node output. */
  json(node: string): Record<string, unknown>
  /** The id under which n8n keeps a binary field of that item. */
  binary(node: string, field: string): string
}

interface Item {
  readonly json: Record<string, unknown>
  readonly binary?: Readonly<Record<string, { readonly id?: string }>>
}

interface RunResult {
  readonly data: {
    readonly resultData: {
      readonly error?: { readonly message: string }
      readonly runData: Readonly<
        Record<string, readonly { readonly data?: { readonly main: readonly (readonly Item[])[] } }[]>
      >
    }
  }
}

/**
 * Reads what `n8n execute --rawOutput` printed: lines of the log may stand before and after it.
 * @throws Error when the workflow failed
 */
export function parseRun(output: string): WorkflowRun {
  const lines = output.split('\n')
  const json = lines.slice(lines.indexOf('{'), lines.lastIndexOf('}') + 1).join('\n')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- n8n prints its `IRun`; what is used of it is checked below
  const { resultData } = (JSON.parse(json) as RunResult).data
  if (resultData.error !== undefined) throw new Error(`The workflow failed: ${resultData.error.message}`)
  const item = (node: string): Item => {
    const [found] = resultData.runData[node]?.at(-1)?.data?.main[0] ?? []
    if (found === undefined) throw new Error(`${node} put nothing out`)
    return found
  }
  return {
    json: (node) => item(node).json,
    binary(node, field) {
      const id = item(node).binary?.[field]?.id
      if (id === undefined) throw new Error(`${node} put out no file in ${field}`)
      return id
    },
  }
}
