import { DefaultReporter, type Reporter, type TestCase, type TestModule } from 'vitest/node'

/** Prints failures, unsteady tests and a summary. A terminal also shows the tests that run. */
export default class FailuresReporter extends DefaultReporter {
  protected override printTestModule(testModule: TestModule): void {
    if (testModule.state() === 'failed') super.printTestModule(testModule)
  }

  protected override printTestCase(moduleState: ReturnType<TestModule['state']>, test: TestCase): void {
    if (test.result().state === 'failed') super.printTestCase(moduleState, test)
  }

  /** Names each test that passed only when it was repeated, with its first error: it is a fault to mend. */
  override onTestRunEnd(...[modules, ...rest]: Parameters<Required<Reporter>['onTestRunEnd']>): void {
    super.onTestRunEnd(modules, ...rest)
    for (const testModule of modules) {
      for (const test of testModule.children.allTests('passed')) {
        if (test.diagnostic()?.flaky !== true) continue
        const [error] = test.result().errors ?? []
        this.log(`Unsteady: ${testModule.relativeModuleId} > ${test.fullName}: ${error?.message ?? 'no error'}`)
      }
    }
  }
}
