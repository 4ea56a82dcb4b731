import { createRequire } from 'node:module'
import type { createAgent } from 'langchain'

type Checkpointer = NonNullable<Parameters<typeof createAgent>[0]['checkpointer']>

/**
 * The checkpointer of the LangGraph that langchain itself uses: langchain does not re-export it, and a second copy of
 * LangGraph would not be what agents run with.
 */
export function memorySaver(): Exclude<Checkpointer, boolean> {
  const require = createRequire(import.meta.url)
  const graph = createRequire(require.resolve('langchain'))('@langchain/langgraph') as {
    MemorySaver: new () => Exclude<Checkpointer, boolean>
  }
  return new graph.MemorySaver()
}
