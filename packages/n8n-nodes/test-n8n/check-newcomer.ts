import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openEditor } from './check-editor.ts'
import type { N8nRest, Workflow } from './rest.ts'

const PAGE = join(import.meta.dirname, '../../../docs/start/n8n.md')

/** What the check needs. */
export interface NewcomerCheckOptions {
  readonly rest: N8nRest
  /** Id of the credential that the nodes use. */
  readonly credential: string
}

/**
 * The path of the start page after the install: its workflow with the credential, executed by the button of the editor.
 * The nodes output a WAV file and its words.
 */
export async function checkNewcomer(browser: Browser, { rest, credential }: NewcomerCheckOptions): Promise<string[]> {
  const start = performance.now()
  const page = await readFile(PAGE, 'utf8')
  const printed = /^```json\n([^]*?)^```$/m.exec(page)?.[1]
  if (printed === undefined) throw new Error('The start page of n8n prints no workflow')
  const workflow = JSON.parse(printed) as Omit<Workflow, 'name'>
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const nodes = workflow.nodes.map((one) => (one.type?.includes('svcAudio') === true ? { ...one, credentials } : one))
  const id = await rest.addWorkflow({ ...workflow, name: 'Newcomer', nodes })
  const [context, editor] = await openEditor(browser, rest, 'light')
  try {
    await editor.goto(`/workflow/${id}`)
    await editor.getByTestId('canvas-node').first().waitFor()
    await editor.getByTestId('execute-workflow-button').first().click()
    const execution = await rest.finished(id)
    const data = await rest.dataOf(execution)
    if (!data.includes('audio/wav')) throw new Error('The node Speak outputs no WAV file')
    if (!/good morning/i.test(data.replaceAll(/"text":"Good morning\."/g, ''))) {
      throw new Error(`The node Listen outputs other words: ${data.slice(0, 2000)}`)
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(0)
    return [`newcomer: the workflow of the start page speaks and listens, ${seconds} s after the install`]
  } finally {
    await context.close()
  }
}
