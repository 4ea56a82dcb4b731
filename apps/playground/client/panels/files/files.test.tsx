import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { connection } from '../../shell/connection.ts'
import { stopAll } from '../../shell/panel-context.ts'
import { route } from '../../shell/router.tsx'
import { FakeService } from '../../test/fake-service.ts'
import { announced, button } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { Panel } from './panel.tsx'

const LIST = 'GET /v1/files'
const STORE = 'POST /v1/files'
const file = (number: number): object => ({
  id: `file_${number}`,
  object: 'file',
  bytes: 102_000,
  created_at: 0,
  filename: `talk-${number}.wav`,
  purpose: 'audio',
  status: 'processed',
})
const filesFrom = (first: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => file(first + index))

let service: FakeService
beforeEach(() => {
  service = new FakeService()
  list(filesFrom(1, 2))
})
function list(data: readonly object[]): void {
  service.json(LIST, { object: 'list', data })
}
const open = (): Stage => renderPanel(Panel, 'files', { service })
const choose = ({ user }: Stage): Promise<void> =>
  user.upload(screen.getByLabelText('File to store'), new File(['RIFF'], 'new.wav', { type: 'audio/wav' }))
const rows = (): string[] => {
  const table = within(screen.getByRole('region', { name: 'Stored files' }))
  return table.getAllByRole('rowheader').map(({ textContent }) => textContent)
}

describe('the stored files', () => {
  test('the stored files are a table with their sizes and their ids, which can be copied', async () => {
    const { user } = open()
    expect(announced()).toBe('Loading the files …')
    await screen.findByText('talk-1.wav')
    expect(rows()).toEqual(['talk-1.wav', 'talk-2.wav'])
    expect(screen.getAllByText('102 KB')).toHaveLength(2)
    await user.click(button('Copy the id of talk-2.wav'))
    expect(await navigator.clipboard.readText()).toBe('file_2')
  })

  test('the stored files that are none are announced, with what to do', async () => {
    list([])
    open()
    expect(await screen.findByText('No files yet')).toBeDefined()
    expect(screen.queryByRole('navigation', { name: 'Pages of files' })).toBeNull()
  })

  test('the stored files that cannot be listed can be loaded again', async () => {
    service.refuse(LIST, 'This key may not list files', 'forbidden', 403)
    const { user } = open()
    expect(await screen.findByText('This key may not list files.')).toBeDefined()
    list(filesFrom(1, 1))
    await user.click(button('Retry'))
    await screen.findByText('talk-1.wav')
  })

  test('the stored files are loaded again when the service is back', async () => {
    open()
    await screen.findByText('talk-2.wav')
    list(filesFrom(7, 1))
    act(() => connection.set({ ...connection.get(), epoch: 1 }))
    await screen.findByText('talk-7.wav')
    expect(rows()).toEqual(['talk-7.wav'])
  })

  test('the stored files are shown in pages of 20, and the last page leads back', async () => {
    list(filesFrom(1, 21))
    const { user } = open()
    await screen.findByText('talk-20.wav')
    expect([rows().length, service.last(LIST).query['limit']]).toEqual([20, '21'])
    expect([button('Newer').disabled, button('Older').disabled]).toEqual([true, false])
    list(filesFrom(21, 3))
    await user.click(button('Older'))
    await screen.findByText('21 to 23')
    expect(service.last(LIST).query['offset']).toBe('20')
    expect([button('Newer').disabled, button('Older').disabled]).toEqual([false, true])
    list(filesFrom(1, 21))
    await user.click(button('Newer'))
    await screen.findByText('1 to 20')
  })

  test('lead to the transcription of each', async () => {
    const { user } = open()
    await screen.findByText('talk-2.wav')
    await user.click(screen.getByRole('link', { name: 'Transcribe talk-2.wav' }))
    expect(route.get().panel).toBe('transcribe')
    expect(Object.fromEntries(route.get().query)).toEqual({ file_id: 'file_2', name: 'talk-2.wav' })
  })
})

describe('an upload', () => {
  test('an upload sends the file, says so, and shows it in the list', async () => {
    service.json(STORE, { ...file(3), filename: 'new.wav' })
    const stage = open()
    await screen.findByText('talk-1.wav')
    list(filesFrom(1, 3))
    await choose(stage)
    await screen.findByText('Stored new.wav.')
    expect(service.last(STORE).body).toEqual({ purpose: 'audio', file: ['new.wav', 'RIFF'] })
    await screen.findByText('talk-3.wav')
  })

  test.each([
    ['its button', async ({ user }: Stage): Promise<void> => user.click(button('Stop'))],
    [
      'Escape',
      async (): Promise<void> => {
        act(() => void stopAll())
      },
    ],
  ])('an upload is stopped by %s, and the place for a file is there again', async (_name, stop) => {
    service.hold(STORE)
    const stage = open()
    await choose(stage)
    await screen.findByText('Uploading new.wav, 0 KB …')
    await waitFor(() => expect(service.bodies(STORE)).toHaveLength(1))
    await stop(stage)
    await screen.findByText('Stopped.')
    expect(service.last(STORE).signal?.aborted).toBe(true)
    expect(screen.getByLabelText('File to store')).toBeDefined()
  })

  test('an upload that is refused names the file, and the error leaves with the next one', async () => {
    service.refuse(STORE, 'The file is empty', 'invalid_file')
    const stage = open()
    await choose(stage)
    expect(await screen.findByText('new.wav: The file is empty.')).toBeDefined()
    service.json(STORE, { ...file(3), filename: 'new.wav' })
    await choose(stage)
    await screen.findByText('Stored new.wav.')
    expect(screen.queryByText('new.wav: The file is empty.')).toBeNull()
  })

  test('an upload is aborted when the page is left', async () => {
    service.hold(STORE)
    const stage = open()
    await choose(stage)
    await waitFor(() => expect(service.bodies(STORE)).toHaveLength(1))
    stage.unmount()
    expect(service.last(STORE).signal?.aborted).toBe(true)
  })
})

describe('a deletion', () => {
  const DELETE = 'DELETE /v1/files/file_1'
  async function ask(): Promise<Stage> {
    const stage = open()
    await screen.findByText('talk-1.wav')
    await stage.user.click(button('Delete talk-1.wav'))
    expect(screen.getByRole('dialog', { name: 'Delete talk-1.wav?' })).toBeDefined()
    return stage
  }

  test('a deletion is asked for first, and then done and said', async () => {
    service.json(DELETE, { id: 'file_1', object: 'file', deleted: true })
    const { user } = await ask()
    expect(service.bodies(DELETE)).toEqual([])
    list(filesFrom(2, 1))
    await user.click(button('Delete'))
    await screen.findByText('Deleted talk-1.wav.')
    await waitFor(() => expect(rows()).toEqual(['talk-2.wav']))
  })

  test('a deletion that is not confirmed does nothing', async () => {
    const { user } = await ask()
    await user.click(button('Cancel'))
    expect([service.bodies(DELETE), rows().length]).toEqual([[], 2])
  })

  test('a deletion that the service refuses names the file, which stays', async () => {
    service.refuse(DELETE, 'It is in use', 'conflict', 409)
    const { user } = await ask()
    await user.click(button('Delete'))
    expect(await screen.findByText('talk-1.wav: It is in use.')).toBeDefined()
    expect(rows()).toHaveLength(2)
  })

  test('a deletion of the last file of a page goes back to the page before', async () => {
    list(filesFrom(1, 21))
    service.json('DELETE /v1/files/file_21', { id: 'file_21', object: 'file', deleted: true })
    const { user } = open()
    await screen.findByText('talk-20.wav')
    list(filesFrom(21, 1))
    await user.click(button('Older'))
    await user.click(await screen.findByRole('button', { name: 'Delete talk-21.wav' }))
    list([])
    await user.click(button('Delete'))
    await screen.findByText('Deleted talk-21.wav.')
    expect(screen.queryByText('21 to 20')).toBeNull()
    await waitFor(() => expect(service.last(LIST).query['offset']).not.toBe('20'))
  })
})
