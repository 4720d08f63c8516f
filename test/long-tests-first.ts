import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or so each. A clean clone does not know how long they took the last time. */
const longTests = ['/test/hosts/hosts.test.ts', '/test/simulation/whole-world.test.ts', '/test/crash/crash.test.ts']

/** Begins with the long files. One that begins last keeps everything waiting while the other core has nothing to do. */
export class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longTests.some((file) => moduleId.endsWith(file))
    const { long = [], other = [] } = Object.groupBy(await super.sort(files), (file) =>
      isLong(file) ? 'long' : 'other',
    )
    return [...long, ...other]
  }
}
