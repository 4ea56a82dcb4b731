import { status } from '@svc-audio/testing'
import type { INodeExecutionData, INodeParameters, IWorkflowSettings } from 'n8n-workflow'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorOf, outputOf, type RunOptions, type TestNode } from './support/engine.ts'
import { passOn } from './support/test-nodes.ts'
import { byId, speech, transcription } from './support/parameters.ts'
import { scripted } from './support/scripted.ts'

const TASK_ROUTE = 'GET /v1/audio/tasks/{task_id}'
const LONG = 'A long story. '.repeat(400)
const ALWAYS = { runAsTask: 'always' }

const given = scripted()

beforeEach(() => {
  given.engine.addType('end', passOn)
  given.engine.addType('n8n-nodes-base.webhook', passOn)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function speak(fields: INodeParameters, more: Partial<TestNode> = {}): TestNode {
  return { name: 'Speak', parameters: speech({ text: '={{ $json.text }}', ...fields }), ...more }
}

const texts = (...all: string[]): INodeExecutionData[] => all.map((text) => ({ json: { text } }))

/** Which requests started a task. */
const started = (): boolean[] =>
  given.upstream.requests
    .filter(({ method }) => method === 'POST')
    .map(({ json, form }) => form?.fields['async'] !== undefined || (json as { async?: boolean })?.async === true)

describe('Convert Text to Speech', () => {
  test('a long text becomes a task, and its audio is output as without one', async () => {
    given.upstream.nextTask({ polls: 3 })
    const run = await given.engine.run([speak({ options: { fileName: 'story' } })], { items: texts(LONG) })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(started()).toEqual([true])
    const [item] = outputOf(run, 'Speak')
    expect(item?.json).toMatchObject({ fileName: 'story.wav', contentType: 'audio/wav' })
    expect((await given.engine.bytesOf(item, 'data')).byteLength).toBe(item?.json['bytes'])
  })

  test('long and short items keep their order and their origin', async () => {
    const run = await given.engine.run([speak({}), { name: 'End', type: 'end' }], {
      items: texts('One.', LONG, 'Three.', LONG),
    })
    expect(started().filter((isTask) => isTask)).toHaveLength(2)
    const output = outputOf(run, 'Speak')
    expect(output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })))
    expect(output.every(({ binary }) => binary?.['data'] !== undefined)).toBe(true)
    expect(outputOf(run, 'End')).toHaveLength(4)
  })

  test('Wait in the Background decides before the length of the text', async () => {
    await given.engine.run([speak({ options: { runAsTask: '={{ "never" }}' } })], { items: texts(LONG) })
    expect(started()).toEqual([false])
    await given.engine.run([speak({ options: ALWAYS })], { items: texts('Hi.') })
    expect(started()).toEqual([false, true])
  })

  test('a task with the output URL outputs the URL, the length and the expiry', async () => {
    const [item] = outputOf(
      await given.engine.run([speak({ output: 'url', options: ALWAYS })], { items: texts('Hi.') }),
      'Speak',
    )
    expect(item?.binary).toBeUndefined()
    expect(item?.json).toMatchObject({ object: 'audio.speech', durationSeconds: 0.5 })
  })

  test('Speed and Wait in the Background: Always are refused together', async () => {
    const run = await given.engine.run([speak({ options: { ...ALWAYS, speed: 2 } })], { items: texts('Hi.') })
    expect(errorOf(run, 'Speak')?.message).toBe('Speed: does not work in a task [item 0]')
    expect(given.upstream.requests).toHaveLength(0)
  })

  test('a long text with Speed is streamed', async () => {
    const run = await given.engine.run([speak({ options: { speed: 2 } })], { items: texts(LONG) })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(given.upstream.requests[0]?.json).toMatchObject({ stream: true })
  })
})

describe('Transcribe a Recording', () => {
  const listen = (fields: INodeParameters): TestNode => ({ name: 'Listen', parameters: transcription(fields) })

  test('a recording of the item over 20 MB becomes a task', async () => {
    const items = [await given.engine.store(Buffer.alloc(20 * 1024 * 1024 + 1))]
    const run = await given.engine.run([listen({})], { items })
    expect(outputOf(run, 'Listen')[0]?.json).toEqual({ text: 'Good morning, this is a test.' })
    expect(started()).toEqual([true])
  })

  test.each([
    [20 * 1024 * 1024, false],
    [20 * 1024 * 1024 + 1, true],
  ])('a stored file of %i bytes is transcribed by a task: %s', async (bytes, isTask) => {
    const body = JSON.stringify({ id: 'file-1', object: 'file', bytes, created_at: 0, filename: 'a.wav' })
    given.upstream.next('GET /v1/files/{file_id}', { headers: { 'content-type': 'application/json' }, body })
    // The service has no such file: what counts is which request asks for it.
    await given.engine.run([listen({ source: 'fileId', fileId: byId('file-1') })])
    expect(started()).toEqual([isTask])
  })

  test.each(['json', 'text', 'speakers', 'srt'])('a task outputs the same %s as a request', async (responseFormat) => {
    const fields = {
      source: 'url',
      url: 'https://example.com/a.wav',
      model: byId('svc-transcribe-diarize-pro'),
      responseFormat,
    }
    const names = { speakerNames: { name: [{ label: 'S01', name: 'Ann' }] } }
    const direct = await given.engine.run([listen({ ...fields, options: names })])
    const task = await given.engine.run([listen({ ...fields, options: { ...names, ...ALWAYS } })])
    expect(started()).toEqual([false, true])
    expect(outputOf(task, 'Listen')[0]?.json).toEqual(outputOf(direct, 'Listen')[0]?.json)
  })
})

describe('a task that a node waits for', () => {
  test('a failed task fails the node with its reason and its item', async () => {
    given.upstream.nextTask({})
    given.upstream.nextTask({ error: { code: 'engine_failed', message: 'The engine is broken' } })
    const run = await given.engine.run([speak({ options: ALWAYS })], { items: texts('One.', 'Two.') })
    expect(errorOf(run, 'Speak')?.message).toBe('The task failed: The engine is broken [item 1]')
  })

  test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
    'a failed task is an item of its own with %s',
    async (onError) => {
      given.upstream.nextTask({ error: { code: 'engine_failed', message: 'The engine is broken' } })
      given.upstream.nextTask({})
      const run = await given.engine.run([speak({ options: ALWAYS }, { onError })], { items: texts('One.', 'Two.') })
      const [regular = [], failed = []] = run.data.resultData.runData['Speak']?.at(-1)?.data?.['main'] ?? []
      const all = onError === 'continueErrorOutput' ? [...(failed ?? []), ...(regular ?? [])] : regular
      expect(all).toHaveLength(2)
      expect(JSON.stringify(all?.[0]?.json)).toContain('The task failed: The engine is broken [item 0]')
      expect(JSON.stringify(all?.[0]?.json)).toContain('engine_failed')
      expect(all?.[1]?.binary).toBeDefined()
    },
  )

  test('a task that ends too late fails with Timeout (Seconds)', async () => {
    given.upstream.nextTask({ polls: Infinity })
    const run = await given.engine.run([speak({ options: { ...ALWAYS, timeout: 1 } })], { items: texts('Hi.') })
    expect(errorOf(run, 'Speak')?.message).toMatch(/^Timeout \(Seconds\): the task has not finished/)
  })

  test('a service that cannot be reached for a moment is asked again', async () => {
    given.upstream.next(TASK_ROUTE, status(500), status(500), status(500))
    const run = await given.engine.run([speak({ options: ALWAYS })], { items: texts('Hi.') })
    expect(errorOf(run, 'Speak')).toBeUndefined()
    expect(outputOf(run, 'Speak')[0]?.binary).toBeDefined()
  })

  test('a task that the service has lost fails the node', async () => {
    given.upstream.on(TASK_ROUTE, status(404))
    const run = await given.engine.run([speak({ options: ALWAYS })], { items: texts('Hi.') })
    expect(errorOf(run, 'Speak')).toMatchObject({
      message: expect.stringContaining('does not have what was asked for'),
    })
  })

  test('the node waits by itself where a webhook answers with the output', async () => {
    const hook: TestNode = { name: 'Hook', type: 'n8n-nodes-base.webhook', parameters: { options: {} } }
    const parts: unknown[] = []
    given.upstream.nextTask({ polls: 2 })
    const run = await given.engine.run(
      [{ ...hook, parameters: { options: { responseMode: 'lastNode' } } }, speak({ options: ALWAYS })],
      { items: texts('Hi.'), onStart: () => parts.push(1) },
    )
    expect(outputOf(run, 'Speak')[0]?.binary).toBeDefined()
    expect(parts).toHaveLength(1)
  })

  const parts = async (options: RunOptions, nodes: TestNode[] = [speak({ options: ALWAYS })]): Promise<number> => {
    let count = 0
    given.upstream.nextTask({ polls: 2 })
    const run = await given.engine.run(nodes, { items: texts('Hi.'), ...options, onStart: () => (count += 1) })
    expect(outputOf(run, 'Speak')[0]?.binary).toBeDefined()
    return count
  }

  test.each(['integrated', 'manual', 'chat', 'cli', 'evaluation', 'internal'] as const)(
    'the node waits by itself in a run of the mode %s, since somebody waits for its output',
    async (mode) => {
      expect(await parts({ mode })).toBe(1)
    },
  )

  test.each(['trigger', 'webhook', 'error', 'retry'] as const)('a run of the mode %s is stored', async (mode) => {
    expect(await parts({ mode })).toBeGreaterThan(4)
  })

  test('the node waits by itself where pages of a form come later', async () => {
    given.engine.addType('n8n-nodes-base.form', passOn)
    const page: TestNode = { name: 'Page', type: 'n8n-nodes-base.form' }
    expect(await parts({ mode: 'webhook' }, [speak({ options: ALWAYS }), page])).toBe(1)
  })

  test('the node waits by itself in a workflow that does not store its runs', async () => {
    const onWorkflow = vi.fn<(settings: IWorkflowSettings) => void>()
    expect(await parts({ settings: { saveDataSuccessExecution: 'none' }, onWorkflow })).toBe(1)
    expect(onWorkflow).not.toHaveBeenCalled()
  })

  test.each([
    [{}, {}],
    [{ saveDataSuccessExecution: 'DEFAULT', saveDataErrorExecution: 'none' }, undefined],
    [{ saveDataSuccessExecution: 'all', saveExecutionProgress: true, redactionPolicy: 'all' }, undefined],
    [{ errorWorkflow: 'other', executionTimeout: 60, timezone: 'Asia/Tokyo' }, {}],
  ] as const)('the run that waits is stored as the workflow with %j says', async (settings, expected) => {
    const found: IWorkflowSettings[] = []
    await parts({ settings, onWorkflow: (one) => found.push(one) })
    const [waiting, ...results] = found
    expect(waiting).toEqual({ executionOrder: 'v1', ...(expected ?? settings) })
    const unstored = { executionOrder: 'v1', saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' }
    expect(results).toEqual([unstored])
  })

  test('a run that waits is stored, and takes several parts', async () => {
    const begun: unknown[] = []
    given.upstream.nextTask({ polls: 3 })
    await given.engine.run([speak({ options: ALWAYS })], { items: texts('Hi.'), onStart: () => begun.push(1) })
    // the run until it waits, its own workflow, each of the checks of that one, and the rest of the run
    expect(begun.length).toBeGreaterThan(4)
    expect(given.upstream.requests.filter(({ path }) => path === '/v1/audio/speech')).toHaveLength(1)
  })
})

describe('a run that was waiting when n8n started', () => {
  test('reads no task for two minutes, in which n8n looks for crashed runs, and waits until they are over', async () => {
    const begin = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: begin })
    const n8nStart = begin + 10_000
    const waits: number[] = []
    const readsAfter: number[] = []
    given.upstream.nextTask({})
    const run = await given.engine.run([speak({ options: ALWAYS })], {
      items: texts('Hi.'),
      onWait(till) {
        waits.push(till.getTime())
        readsAfter.push(given.upstream.requests.filter(({ path }) => path.startsWith('/v1/audio/tasks/')).length)
        // the run and its own workflow wait; then n8n is started again, and resumes what is due when it is one second old
        if (waits.length < 2) return
        vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(n8nStart)
        vi.setSystemTime(waits.length === 2 ? n8nStart + 1000 : till)
      },
    })
    expect(outputOf(run, 'Speak')[0]?.binary).toBeDefined()
    expect(waits[2]).toBe(n8nStart + 120_000)
    expect(readsAfter.slice(0, 3)).toEqual([0, 0, 0])
  })
})
