import { expect, test } from 'vitest'
import { FolderInUseError } from '../domain/errors.ts'
import { describeFolderError, describeStartError } from './errors.ts'

const where = { host: '127.0.0.1', port: 8787, dataDir: '/data' }

function coded(code: string | number): Error {
  const fields = typeof code === 'string' ? { code } : { code: 'ERR_SQLITE_ERROR', errcode: code }
  return Object.assign(new Error('said so'), fields)
}

/** SQLite's codes are numbers; the two long ones are SQLITE_IOERR_WRITE and SQLITE_READONLY_DIRECTORY. */
const folderFaults: [code: string | number, line: string][] = [
  ['EACCES', 'Not allowed: said so. Choose another --data-dir'],
  ['ENOTDIR', '/data cannot be a folder: said so. Choose another --data-dir'],
  ['ENOSPC', 'The disk of /data is full: free space, or choose another --data-dir'],
  [13, 'The disk of /data is full: free space, or choose another --data-dir'],
  [5, 'The database in /data is busy: repeat the command in a moment'],
  [778, 'The database in /data cannot be used: said so. Check its owner and its disk'],
  [1544, 'The database in /data cannot be used: said so. Check its owner and its disk'],
  [14, 'The database in /data cannot be used: said so. Check its owner and its disk'],
  [11, 'The database in /data is damaged: said so. Restore a backup, or choose another --data-dir'],
  [26, 'The database in /data is damaged: said so. Restore a backup, or choose another --data-dir'],
]

test.each(folderFaults)('error %s becomes one line about the folder, for every command', (code, line) => {
  expect(describeFolderError(coded(code), '/data')).toBe(line)
})

test('a Node.js without a part that the service needs is named, with the version that it needs', () => {
  expect(describeFolderError(coded('ERR_UNKNOWN_BUILTIN_MODULE'), '/data')).toBe(
    `This is Node.js ${process.versions.node}, and the service needs 22.19 or later: install it from nodejs.org`,
  )
})

test('an error unrelated to the folder gets no explanation', () => {
  expect(describeFolderError(new TypeError('a fault of ours'), '/data')).toBeUndefined()
  expect(describeFolderError(coded('ERR_ASSERTION'), '/data')).toBeUndefined()
  expect(describeFolderError(coded(1), '/data')).toBeUndefined()
})

const startFaults: [fault: string, error: unknown, line: string][] = [
  [
    'a taken port',
    coded('EADDRINUSE'),
    'Port 8787 on 127.0.0.1 is in use: stop the program that uses it, or choose another with --port',
  ],
  ['a low port', coded('EACCES'), 'Not allowed: said so. Choose another --port or --data-dir'],
  ['a full disk', coded(13), 'The disk of /data is full: free space, or choose another --data-dir'],
  ['anything else', new Error('an odd thing'), 'The service cannot start: an odd thing'],
  [
    'a folder in use',
    new FolderInUseError('/data'),
    '/data is in use by another running service: stop it, or choose another folder with --data-dir',
  ],
]

test.each(startFaults)('a start that fails for %s names the remedy', (_fault, error, line) => {
  expect(describeStartError(error, where)).toBe(line)
})
