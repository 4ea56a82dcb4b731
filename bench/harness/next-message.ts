import type { ChildProcess } from 'node:child_process'

/**
 * The next message of a process of the benchmark. The caller names its type: such a process sends only the messages in
 * its entry.
 * @throws Error when the process ends before
 */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      child.off('message', arrive).off('error', fail).off('exit', end)
      action()
    }
    const arrive = (message: unknown): void => settle(() => resolve(message as Message))
    const fail = (error: Error): void => settle(() => reject(error))
    const end = (): void => fail(new Error('A process of the measurement ended too soon'))
    child.on('message', arrive).on('error', fail).on('exit', end)
  })
}
