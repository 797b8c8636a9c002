# SPDX-License-Identifier: MIT
#
# ReFrame: a check for each engine. It passes if every row conforms, and it records the cases per second.
#
#     reframe -C SITE.py -c docs/recipes/reframe_simtcheck.py -r -S simtcheck=PATH [-n Simtcheck...]
#
# SITE.py is the configuration of your site. Partitions with the feature gpu also run the engine cuda.
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_after, sanity_function, variable


@rfm.simple_test
class SimtcheckRun(rfm.RunOnlyRegressionTest):
    engine = parameter(['sim', 'cuda'])
    simtcheck = variable(str, value='simtcheck')
    level = variable(int, value=1)
    kernels = variable(str, value='*')
    valid_prog_environs = ['*']
    maintainers = ['simtcheck']

    @run_after('init')
    def choose_partitions(self):
        self.descr = f'simtcheck run on the engine {self.engine}'
        self.valid_systems = ['+gpu'] if self.engine == 'cuda' else ['*']

    @run_after('setup')
    def compose(self):
        self.executable = self.simtcheck
        self.executable_opts = ['run', '--engine', self.engine, '--require', self.engine, '--level',
                                str(self.level), '--kernel', f"'{self.kernels}'", '--json', 'run.json']

    @sanity_function
    def every_row_conforms(self):
        return sn.all([
            sn.assert_eq(self.job.exitcode, 0),
            sn.assert_found(r' 0 failed$', self.stdout),
        ])

    @performance_function('cases/s')
    def rate(self):
        return sn.extractsingle(r'cases? in [\d.]+ s, (?P<rate>\d+) cases/s', self.stdout, 'rate', float)
