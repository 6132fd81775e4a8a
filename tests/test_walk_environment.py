"""`plantar/Walk-v0`: what Gymnasium asks of an environment, and what a walker asks of it."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from plantar import feet
from plantar.errors import InvalidInput
from plantar.ground import Slope
from plantar.walk import environment, gym
from plantar.walk.environment import WalkEnv


@pytest.fixture(scope="module")
def soft():
    return WalkEnv("biped", "softfoot:fast", obstacle=0.01, push=10.0, velocity=(0.3, 0.0, 0.0))


def roll(env, seed, actions):
    states = [env.reset(seed=seed)[0]]
    for action in actions:
        states.append(env.step(action)[0])
    return np.array(states)


@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_no_fault():
    check_env(WalkEnv("biped", "softfoot:fast", obstacle=0.01), skip_render_check=True)


def test_it_is_made_by_name_with_a_time_limit():
    env = gymnasium.make(gym.ID, robot="biped", foot=None)
    assert env.spec is not None and env.spec.max_episode_steps == 1000
    assert isinstance(env.unwrapped, WalkEnv)


def test_many_at_once():
    envs = gymnasium.make_vec(gym.ID, num_envs=2, vectorization_mode="sync", robot="biped", foot=None)
    first, _ = envs.reset(seed=5)
    assert first.shape[0] == 2 and np.abs(first[0] - first[1]).max() > 1e-4  # each has a seed of its own
    later, reward, *_ = envs.step(np.zeros(envs.action_space.shape or (), np.float32))
    assert np.isfinite(later).all() and reward.shape == (2,)
    envs.close()


def test_one_seed_gives_the_same_bits(soft):
    actions = np.random.default_rng(1).uniform(-0.2, 0.2, (25, *soft.action_space.shape))
    one, again, other = roll(soft, 3, actions), roll(soft, 3, actions), roll(soft, 4, actions)
    assert np.array_equal(one, again) and not np.array_equal(one, other)


def test_it_begins_upright_at_rest_with_all_of_its_weight_soon_on_its_feet(soft):
    state, _ = soft.reset(seed=0)
    np.testing.assert_allclose(state[:3], [0, 0, 1], atol=0.05)
    n = len(soft.legged.joints)
    states = roll(soft, 0, np.zeros((12, n)))
    loads = states[:, 12 + 2 * n : 12 + 2 * n + 2].sum(axis=1)
    assert 0.6 < loads[4:].mean() < 1.4


def test_velocity_is_seen_in_the_frame_of_the_robot(soft):
    soft.reset(seed=0)
    soft.data.qpos[soft.scene.q_index[3:7]] = [np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)]  # looks along y
    soft.data.qvel[soft.scene.v_index[:3]] = [0.0, 0.4, 0.0]
    _, _, velocity = soft._base()
    np.testing.assert_allclose(velocity, [0.4, 0.0, 0.0], atol=1e-9)


def test_walking_at_the_wished_speed_pays_best(soft):
    soft.reset(seed=0)
    still = np.zeros(soft.action_space.shape)
    paid = {}
    for speed in (0.0, 0.3, 0.6):
        soft.data.qvel[soft.scene.v_index[:6]] = [speed, 0, 0, 0, 0, 0]
        paid[speed] = soft._reward(still, 0.0)
    assert paid[0.3] > max(paid[0.0], paid[0.6])
    assert soft._reward(still, 5.0) < paid[0.6] and soft._reward(still + 0.5, 0.0) < paid[0.6]


def test_a_fall_ends_the_episode_and_costs(soft):
    soft.reset(seed=0)
    rewards, ended, info = [], False, {}
    for _ in range(300):
        _, reward, ended, _, info = soft.step(np.full(soft.action_space.shape, -1.0))
        rewards.append(reward)
        if ended:
            break
    assert ended and info["fallen"] and rewards[-1] < -4 < min(rewards[:-1])


def test_bars_lie_in_another_place_each_time(soft):
    places = []
    for seed in (0, 1):
        soft.reset(seed=seed)
        places.append(soft.data.mocap_pos.copy())
    assert np.abs(places[0] - places[1]).max() > 0.01


def test_pushes_come_after_three_seconds_and_go_with_the_mass(soft):
    soft.reset(seed=0)
    soft.data.time = 3.001
    soft._push_robot()
    force = np.linalg.norm(soft.data.xfrc_applied[soft.scene.base, :3])
    assert 0 < force <= 10.0 * soft.legged.mass / 60 / 0.1
    soft.data.time = 3.2
    soft._push_robot()
    assert np.linalg.norm(soft.data.xfrc_applied[soft.scene.base, :3]) == 0


def test_a_quadruped_stands_and_falls_as_well():
    env = WalkEnv("quadruped", "ball", rate=50.0, velocity=(0.2, 0.0, 0.0))
    state, _ = env.reset(seed=0)
    assert state.shape == env.observation_space.shape == (12 + 3 * 12 + 4,)
    for _ in range(24):
        env.step(np.zeros(12))
    state, reward, fallen, _, _ = env.step(np.zeros(12))
    assert not fallen and reward > 0 and state[2] > 0.95
    assert 0.8 < state[-16:-12].sum() < 1.2  # its weight is on its feet
    env.data.qpos[env.scene.q_index[2]] = 0.3 * env.stance.qpos[2]
    assert env._has_fallen()


def test_it_begins_with_its_soles_on_ground_that_is_not_level():
    env = WalkEnv("biped", None, terrain=Slope(angle=0.15))
    env.reset(seed=0)
    contact = env.data.contact
    assert env.data.ncon == 0 or contact.dist[: env.data.ncon].min() > -0.004


def test_an_episode_that_blew_up_has_ended():
    env = WalkEnv("biped", None)
    env.reset(seed=0)
    env.data.qvel[env.scene.v_index[8]] = np.nan
    assert env.step(np.zeros_like(env.action_space.sample()))[2]


def test_it_can_be_looked_at():
    env = WalkEnv("biped", None, render_mode="rgb_array")
    env.reset(seed=0)
    image = env.render()
    assert image is not None and image.shape == (480, 640, 3) and image.std() > 5
    # above the head is nothing but sky, below the feet nothing but ground
    assert image[:12].astype(float).std(axis=1).max() < 3 and image[-12:, 200:400].astype(float).std(axis=1).max() < 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"action": "wish"}, "action"),
        ({"obstacle": -0.1}, "obstacle"),
        ({"rate": 1e5}, "rate"),
        ({"rate": 333.0}, "rate"),
        ({"timestep": 0.0}, "timestep"),
        ({"velocity": (0.3,)}, "velocity"),
        ({"velocity": (float("nan"), 0.0, 0.0)}, "velocity"),
        ({"render_mode": "human"}, "render_mode"),
        ({"robot": "no_such_robot"}, "no_such_robot"),
    ],
)
def test_bad_input_is_named(change, said):
    with pytest.raises(InvalidInput, match=said):
        WalkEnv(**{"robot": "biped", "foot": None, **change})


def test_importing_the_room_makes_the_name_known():
    code = "import gymnasium, plantar.walk; assert 'plantar/Walk-v0' in gymnasium.registry"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_foot_is_named_as_everywhere():
    walker = environment._walker("biped", "softfoot:fast")
    assert walker.places[0].foot == feet.get("softfoot:fast")
    with pytest.raises(InvalidInput, match="fidelity = 'quick'"):
        gymnasium.make(gym.ID, robot="biped", foot="softfoot:quick")
