import { ConnectionError, StreamTruncatedError } from '@svc-audio/core/pure'
import { act, renderHook, waitFor } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { connection } from '../shell/connection.ts'
import { createStore, readStored, useShared, useStore, useStored, writeStored } from './store.ts'
import { useFailure, useLoaded } from './calls.ts'

const comeBack = (): void => act(() => connection.set({ ...connection.get(), epoch: connection.get().epoch + 1 }))

describe('a store', () => {
  test('a store renders its component for each new value, and for no equal one', () => {
    const store = createStore(1)
    let renders = 0
    const { result, unmount } = renderHook(() => {
      renders += 1
      return useStore(store)
    })
    act(() => store.set(2))
    act(() => store.set(2))
    expect([result.current, renders]).toEqual([2, 2])
    unmount()
    store.set(3)
    expect(renders).toBe(2)
  })
})

describe('a stored draft', () => {
  test('a stored draft begins with what the last visit left, and stores each change', () => {
    writeStored('draft', { text: 'old', speed: 2 })
    const { result } = renderHook(() => useStored('draft', { text: '', speed: 1, voice: 'rms' }))
    expect(result.current[0]).toEqual({ text: 'old', speed: 2, voice: 'rms' })
    act(() => result.current[1]((before) => ({ ...before, text: 'new' })))
    expect(readStored('draft', { text: '' })).toMatchObject({ text: 'new', speed: 2 })
  })

  test('a stored draft lives on in the page when the storage of the browser is full', () => {
    const { result } = renderHook(() => useStored('draft', 'a'))
    vi.stubGlobal('localStorage', {
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError')
      },
    })
    act(() => result.current[1]('b'))
    expect(result.current[0]).toBe('b')
  })
})

describe('a shared value', () => {
  const NONE: readonly string[] = []
  /** Another tab stores a value: the browser tells this one. */
  const elsewhere = (value: unknown): void => {
    writeStored('list', value)
    act(() => void dispatchEvent(Object.assign(new Event('storage'), { key: 'svc-audio.list' })))
  }

  test('a shared value follows the other tabs', () => {
    const { result, unmount } = renderHook(() => useShared('list', NONE))
    elsewhere(['a'])
    expect(result.current[0]).toEqual(['a'])
    act(() => void dispatchEvent(Object.assign(new Event('storage'), { key: 'svc-audio.other' })))
    expect(result.current[0]).toEqual(['a'])
    unmount()
  })

  test('a change of a shared value does not undo what another tab stored a moment ago', () => {
    const { result } = renderHook(() => useShared('list', NONE))
    writeStored('list', ['theirs'])
    act(() => result.current[1]((before) => [...before, 'ours']))
    expect(result.current[0]).toEqual(['theirs', 'ours'])
    expect(readStored('list', NONE)).toEqual(['theirs', 'ours'])
  })

  test('a shared value lives on in the page when the storage of the browser is full', () => {
    const { result } = renderHook(() => useShared('list', NONE))
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    act(() => result.current[1](() => ['a']))
    act(() => result.current[1]((before) => [...before, 'b']))
    expect(result.current[0]).toEqual(['a', 'b'])
  })
})

describe('a failure', () => {
  test('names the file before the message, and is gone when it is cleared', () => {
    const { result } = renderHook(useFailure)
    act(() => result.current.fail(new Error('It is empty'), 'talk.wav'))
    expect(result.current.failure).toMatchObject({ message: 'talk.wav: It is empty.', lost: false })
    act(() => result.current.clear())
    expect(result.current.failure).toBeUndefined()
  })

  test.each([
    ['a lost connection', new ConnectionError('fetch failed')],
    ['a stream that was cut', new StreamTruncatedError('terminated', { bytes: 3 })],
  ])('a failure of %s is over when the service is back', (_name, error) => {
    const { result } = renderHook(useFailure)
    act(() => result.current.fail(error))
    expect(result.current.failure?.message).toMatch(/^The connection was lost/)
    comeBack()
    expect(result.current.failure).toBeUndefined()
  })

  test('a failure of a request stays when the service is back', () => {
    const { result } = renderHook(useFailure)
    act(() => result.current.fail(new Error('The text is empty')))
    comeBack()
    expect(result.current.failure?.message).toBe('The text is empty.')
  })

  test('a failure that comes after the service is back is shown', () => {
    const { result } = renderHook(useFailure)
    comeBack()
    act(() => result.current.fail(new ConnectionError('fetch failed')))
    expect(result.current.failure).toBeDefined()
  })
})

describe('a list that loads', () => {
  interface Load {
    readonly signal: AbortSignal
    readonly resolve: (data: string) => void
    readonly reject: (error: Error) => void
  }
  function setUp(): { loads: Load[]; load: (signal: AbortSignal) => Promise<string> } {
    const loads: Load[] = []
    const load = (signal: AbortSignal): Promise<string> => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      loads.push({ signal, resolve, reject })
      return promise
    }
    return { loads, load }
  }

  test('a list that loads is loading, and then ready', async () => {
    const { loads, load } = setUp()
    const { result } = renderHook(() => useLoaded(load))
    expect(result.current).toMatchObject({ phase: 'loading', data: undefined })
    await act(async () => loads[0]?.resolve('a'))
    expect(result.current).toMatchObject({ phase: 'ready', data: 'a', failure: undefined })
  })

  test('a list that loads keeps its data while it loads again, and when that fails', async () => {
    const { loads, load } = setUp()
    const { result } = renderHook(() => useLoaded(load))
    await act(async () => loads[0]?.resolve('a'))
    act(() => result.current.reload())
    expect(result.current).toMatchObject({ phase: 'loading', data: 'a' })
    await act(async () => loads[1]?.reject(new Error('No')))
    expect(result.current).toMatchObject({ phase: 'failed', data: 'a', failure: { message: 'No.' } })
  })

  test('a list that loads loads again after a failure, which then leaves the screen', async () => {
    const { loads, load } = setUp()
    const { result } = renderHook(() => useLoaded(load))
    await act(async () => loads[0]?.reject(new Error('No')))
    act(() => result.current.reload())
    expect(result.current).toMatchObject({ phase: 'loading', failure: undefined })
    await act(async () => loads[1]?.resolve('b'))
    expect(result.current).toMatchObject({ phase: 'ready', data: 'b' })
  })

  test('a list that loads loads again when the service is back', async () => {
    const { loads, load } = setUp()
    const { result } = renderHook(() => useLoaded(load))
    await act(async () => loads[0]?.reject(new ConnectionError('fetch failed')))
    comeBack()
    await act(async () => loads[1]?.resolve('b'))
    expect(result.current).toMatchObject({ phase: 'ready', data: 'b' })
  })

  test('a list that loads aborts the load before, whose late response does not replace the new one', async () => {
    const { loads, load } = setUp()
    const { result } = renderHook(() => useLoaded(load))
    act(() => result.current.reload())
    expect(loads.map(({ signal }) => signal.aborted)).toEqual([true, false])
    await act(async () => loads[1]?.resolve('new'))
    await act(async () => loads[0]?.resolve('old'))
    expect(result.current.data).toBe('new')
  })

  test('a list that loads loads what a new key names', async () => {
    const { result, rerender } = renderHook(({ load, key }) => useLoaded(load, key), {
      initialProps: { load: async (): Promise<string> => 'first', key: 1 },
    })
    await waitFor(() => expect(result.current.data).toBe('first'))
    rerender({ load: async () => 'second', key: 2 })
    await waitFor(() => expect(result.current.data).toBe('second'))
  })

  test('a list that loads is aborted with its component', () => {
    const { loads, load } = setUp()
    renderHook(() => useLoaded(load)).unmount()
    expect(loads[0]?.signal.aborted).toBe(true)
  })
})
