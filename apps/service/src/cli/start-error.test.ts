import { expect, test } from 'vitest'
import { FolderInUseError } from '../domain/folder-in-use-error.ts'
import { describeFolderError, describeStartError } from './start-error.ts'

const where = { host: '127.0.0.1', port: 8787, dataDir: '/data' }

function coded(code: string): Error {
  return Object.assign(new Error('said so'), { code })
}

const folderFaults: [code: string, line: string][] = [
  ['EACCES', 'Not allowed: said so. Choose another --data-dir'],
  ['ENOTDIR', '/data cannot be a folder: said so. Choose another --data-dir'],
  ['ENOSPC', 'The disk of /data is full: make room, or choose another --data-dir'],
  ['SQLITE_FULL', 'The disk of /data is full: make room, or choose another --data-dir'],
  ['SQLITE_BUSY', 'The database in /data is busy: try again in a moment'],
  ['SQLITE_IOERR_WRITE', 'The database in /data cannot be used: said so. Look at its owner and its disk'],
  ['SQLITE_READONLY_DIRECTORY', 'The database in /data cannot be used: said so. Look at its owner and its disk'],
  ['SQLITE_CORRUPT', 'The database in /data is damaged: said so. Bring back a copy, or choose another --data-dir'],
]

test.each(folderFaults)('%s is one line about the folder, for every command', (code, line) => {
  expect(describeFolderError(coded(code), '/data')).toBe(line)
})

test('what no folder is to blame for is not explained away', () => {
  expect(describeFolderError(new TypeError('a fault of ours'), '/data')).toBeUndefined()
  expect(describeFolderError(coded('ERR_ASSERTION'), '/data')).toBeUndefined()
})

const startFaults: [fault: string, error: unknown, line: string][] = [
  [
    'a taken port',
    coded('EADDRINUSE'),
    'Port 8787 on 127.0.0.1 is taken: stop what uses it, or choose another with --port',
  ],
  ['a low port', coded('EACCES'), 'Not allowed: said so. Choose another --port or --data-dir'],
  ['a full disk', coded('SQLITE_FULL'), 'The disk of /data is full: make room, or choose another --data-dir'],
  ['anything else', new Error('an odd thing'), 'The service cannot start: an odd thing'],
  [
    'a folder in use',
    new FolderInUseError('/data'),
    '/data is in use by another running service: stop it, or choose another folder with --data-dir',
  ],
]

test.each(startFaults)('a start that fails for %s says what to do', (_fault, error, line) => {
  expect(describeStartError(error, where)).toBe(line)
})
